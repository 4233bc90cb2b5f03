import { version } from '../build-info.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import type { Writer } from '../db/writer.ts';
import { type Clock, memoizeFor } from '../kernel/clock.ts';
import { SECOND } from '../kernel/instants.ts';
import { showData } from './data.ts';
import { showProcess } from './process.ts';
import type { MetricRegistrar } from './registrar.ts';

const KEPT_MS = 5 * SECOND;
const DURATIONS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

interface ServedRequest {
  method: string;
  /** A template such as `/api/workspaces/{workspace_id}`, never what a client sent. */
  route: string;
  status: number;
  seconds: number;
}

export interface Metrics {
  count(served: ServedRequest): void;
  /** All of them in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
  close(): void;
}

/** The metrics of one server; none is global. Their library is loaded here, so that without them it costs nothing. */
export async function createMetrics(options: {
  config: Config;
  clock: Clock;
  read: Db;
  counts: Writer['counts'];
}): Promise<Metrics> {
  const { Registry, Counter, Gauge, Histogram } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'errand_http_requests_total',
    help: 'Requests served.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'errand_http_request_duration_seconds',
    help: 'From a request to the head of its response.',
    labelNames: ['method', 'route'],
    buckets: DURATIONS_SECONDS,
    registers,
  });
  const build = new Gauge({
    name: 'errand_build_info',
    help: 'What runs.',
    labelNames: ['version'],
    registers,
  });
  build.set({ version }, 1);
  const registrar: MetricRegistrar = {
    counter: (name, help, value) => {
      const collect = () => {
        shown.reset();
        shown.inc(value());
      };
      const shown = new Counter({ name, help, registers, collect });
    },
    gauge: (name, help, value) => {
      const collect = () => {
        const now = value();
        if (now === undefined) shown.remove();
        else shown.set(now);
      };
      const shown = new Gauge({ name, help, registers, collect });
    },
    cached: (look) => memoizeFor(KEPT_MS, options.clock, look),
  };
  const { counts } = options;
  registrar.counter('errand_storage_commits_total', 'Transactions committed.', () => counts.commits);
  registrar.counter(
    'errand_storage_jobs_total',
    'Jobs done; by commits: jobs per commit.',
    () => counts.jobs,
  );
  showData(registrar, options);
  const close = showProcess(registrar);
  return {
    count: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
    close,
  };
}
