import fc from 'fast-check';
import type { OpenApiDocument } from '../../src/http/openapi-document.ts';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import type { Attempt } from './attempt.ts';
import { type Breakage, breakagesOf } from './breakages.ts';
import { createCorpus } from './corpus.ts';
import type { DeletedResource } from './effects.ts';
import { createExchange } from './exchange.ts';
import { type Operation, operationsOf } from './operations.ts';
import { openOracle } from './oracle.ts';
import { addHold, emptyReport, type Report } from './report.ts';
import { createRequestFactory, type Random } from './request-factory.ts';
import type { Target } from './target.ts';
import { trespass } from './trespass.ts';

interface Campaign {
  target: Target;
  requests: number;
  seed: number;
  /** Whether the service limits rates: 429 is no fault then. */
  isLimited?: boolean;
  /** How often memory is looked at, which takes a collection of all garbage. */
  looks?: number;
  idToken(n: number): string;
  onProgress?: (report: Report) => void;
}

const BASE_PATH = '/api';
const MIN_PEOPLE = 8;
const MAX_PEOPLE = 25;
const MAX_DELETED = 100;
const LOOKS = 24;
/** Of all requests, at most so many go through every breakage in order. */
const COVERAGE_SHARE = 0.4;
/** Chances, in percent, of what would leave nothing to work with, or no time, if it came as often as the rest. */
const RARE: Record<string, number> = {
  'DELETE /workspaces/{workspace_id}': 15,
  'DELETE /auth/me': 10,
  'DELETE /me/sessions': 20,
  'DELETE /workspaces/{workspace_id}/spaces/{space_id}': 20,
  'DELETE /workspaces/{workspace_id}/lists/{list_id}': 40,
  'DELETE /workspaces/{workspace_id}/members/{user_id}': 50,
  'POST /workspaces': 15,
  'GET /account/export': 20,
  'POST /account/import': 20,
};
/** Each of these starts a thread, which costs as much as hundreds of others: of their breakages, one in so many in order. */
const SAMPLED: Record<string, number> = { 'POST /account/import': 20 };
const JUMPS = [16 * MINUTE, 61 * MINUTE, 6 * 60 * MINUTE, 25 * 60 * MINUTE, 8 * 24 * 60 * MINUTE];

/**
 * Asks a service for everything its own OpenAPI document tells of: the examples, every boundary in order, then at
 * random, valid and broken, with ids and secrets from its responses and mails.
 */
export async function fuzz({
  target,
  requests,
  seed,
  isLimited = false,
  looks = LOOKS,
  idToken,
  onProgress,
}: Campaign): Promise<Report> {
  const begun = performance.now();
  const document = await documentOf(target);
  const operations = operationsOf(document, BASE_PATH);
  const report = emptyReport(seed, operations);
  const corpus = createCorpus();
  const oracle = openOracle(target.databasePath);
  const random = createRandom(seed);
  let deletedResources: DeletedResource[] = [];
  const exchange = createExchange({
    target,
    corpus,
    oracle,
    report,
    isLimited,
    onDeleted: (deleted) => {
      deletedResources.push(deleted);
      if (deletedResources.length > MAX_DELETED) deletedResources.shift();
    },
    onReturned: (taskId) => {
      deletedResources = deletedResources.filter(({ params }) => params.task_id !== taskId);
    },
  });
  const factory = createRequestFactory({
    operations,
    exchange,
    corpus,
    oracle,
    random,
    target,
    seed,
    idToken,
  });
  const breakages = new Map(operations.map((operation) => [operation, breakagesOf(operation, operations)]));

  const broken = async (operation: Operation, breakage: Breakage) => {
    const attempt = await factory.attempt(operation);
    if (!attempt) return;
    breakage.apply(attempt);
    const { rejected, isOutside = false } = breakage;
    await exchange(attempt, { intent: rejected.length > 0 ? 'broken' : 'strange', rejected, isOutside });
  };
  const valid = async (operation: Operation) => {
    const attempt = await factory.attempt(operation);
    if (attempt) await exchange(attempt, { intent: 'valid' });
  };
  /** For something of others, by someone who may have no business there, or with a token of before. */
  const foreign = async (operation: Operation) => {
    const attempt = await factory.attempt(operation);
    if (!attempt?.headers.Authorization) return;
    const rejected = trespass(attempt, corpus, random);
    if (rejected) {
      await exchange(attempt, { intent: 'foreign', rejected });
      return;
    }
    const { former } = corpus;
    const person = random(2) ? former[random(former.length)] : await factory.someoneSignedIn();
    if (!person) return;
    const headers = { ...attempt.headers, Authorization: `Bearer ${person.accessToken}` };
    await exchange({ ...attempt, person, headers }, { intent: 'foreign' });
  };
  const gone = async () => {
    const deleted = deletedResources[random(deletedResources.length)];
    const attempt = deleted && (await factory.attemptAt(deleted));
    // What else the body refers to may be gone as well.
    if (attempt) await exchange(attempt, { intent: 'gone', rejected: attempt.body ? [404, 400] : [404] });
  };
  const example = async (operation: Operation) => {
    const attempt = await factory.attempt(operation);
    if (attempt) await exchange(withExample(attempt), { intent: 'strange' });
  };

  const look = async () => {
    for (const hold of await target.holds()) addHold(report, hold);
    report.seconds = (performance.now() - begun) / 1_000;
    if (report.requests * looks >= report.memory.length * requests && looks > 0) {
      report.memory.push({ ...(await target.memory()), requests: report.requests });
      onProgress?.(report);
    }
  };

  await factory.ensurePeople(MIN_PEOPLE);
  for (const operation of operations) await valid(operation);
  for (const operation of operations) if (operation.example !== undefined) await example(operation);
  const every = [...breakages].flatMap(([operation, all]) =>
    all.map((breakage) => ({ operation, breakage })),
  );
  const stride = Math.max(1, Math.ceil(every.length / (requests * COVERAGE_SHARE)));
  for (const [i, { operation, breakage }] of every.entries()) {
    const own = stride * (SAMPLED[operation.name] ?? 1);
    if (i % own === seed % own) await broken(operation, breakage);
    if (i % 100 === 0) await look();
  }
  for (let step = 0; report.requests < requests; step += 1) {
    await timePasses(target, random, step);
    await factory.ensurePeople(MIN_PEOPLE);
    const operation = chosen(operations, random, corpus.people.size < MAX_PEOPLE);
    const roll = random(100);
    if (roll < 60) await valid(operation);
    else if (roll < 90) {
      const all = breakages.get(operation) ?? [];
      const breakage = all[random(all.length)];
      if (breakage) await broken(operation, breakage);
    } else if (roll < 94) await gone();
    else await foreign(operation);
    if (step % 100 === 0) await look();
  }
  await look();
  oracle.close();
  return report;
}

async function documentOf(target: Target): Promise<OpenApiDocument> {
  const asked = { method: 'GET', target: `${BASE_PATH}/openapi.json`, headers: {}, body: undefined };
  return JSON.parse((await target.send(asked)).text) as OpenApiDocument;
}

function createRandom(seed: number): Random {
  const [numbers] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat()), { noHistory: true }), {
    seed,
    numRuns: 1,
  });
  return (sides) => Number(numbers?.next().value ?? 0) % Math.max(sides, 1);
}

function chosen(operations: readonly Operation[], random: Random, isRoomForMore: boolean): Operation {
  for (;;) {
    const operation = operations[random(operations.length)];
    if (!operation) throw new Error('The document has no operations');
    if (!isRoomForMore && operation.name === 'POST /auth/register/confirm') continue;
    const chance = RARE[operation.name];
    if (chance === undefined || random(100) < chance) return operation;
  }
}

async function timePasses(target: Target, random: Random, step: number): Promise<void> {
  if (step % 20 === 0) await target.advance(1 + random(MINUTE));
  if (random(4_000) === 0) {
    await target.advance(JUMPS[random(JUMPS.length)] ?? SECOND);
    await target.tick();
  } else if (random(200) === 0) await target.tick();
}

const withExample = (attempt: Attempt): Attempt => ({
  ...attempt,
  body: attempt.operation.example as Record<string, unknown>,
});
