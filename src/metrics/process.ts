import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SECOND } from '../kernel/instants.ts';
import type { MetricRegistrar } from './registrar.ts';

const RESOLUTION_MS = 10;
const MICROSECONDS = 1e-6;
const NANOSECONDS = 1e-9;

/**
 * What the process takes, under the names that every Prometheus client gives it, and how long the event loop keeps
 * others waiting. Not by the library's own collection: that asks Node by deprecated calls, and cannot be ended.
 */
export function showProcess(registrar: MetricRegistrar): () => void {
  registrar.counter('process_cpu_seconds_total', 'CPU time, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) * MICROSECONDS;
  });
  registrar.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  const beganAt = performance.timeOrigin / SECOND;
  registrar.gauge('process_start_time_seconds', 'When the process began, since the epoch.', () => beganAt);
  const heap = registrar.cached(() => process.memoryUsage());
  registrar.gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => heap().heapUsed);
  registrar.gauge('nodejs_external_memory_bytes', 'Memory outside of the heap.', () => heap().external);

  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();
  // It measures from one look to the next, which are that far apart when nothing delays them.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds * NANOSECONDS - RESOLUTION_MS / SECOND);
  const delay = registrar.cached(() => {
    if (loop.count === 0) return undefined;
    const seen = { p50: loop.percentile(50), p99: loop.percentile(99), max: loop.max };
    loop.reset();
    return seen;
  });
  const since = 'since the last look, which is at least 5 seconds ago';
  for (const which of ['p50', 'p99', 'max'] as const) {
    registrar.gauge(`errand_event_loop_delay_${which}_seconds`, `Delay of the event loop ${since}.`, () => {
      const seen = delay();
      return seen && seconds(seen[which]);
    });
  }
  return () => loop.disable();
}
