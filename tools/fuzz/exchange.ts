import { type Attempt, written } from './attempt.ts';
import { createConformance, type Received } from './conformance.ts';
import type { Corpus } from './corpus.ts';
import { absorb, type DeletedResource } from './effects.ts';
import type { Oracle } from './oracle.ts';
import { addFinding, type Intent, type Report } from './report.ts';
import type { Target } from './target.ts';

/** What a request must meet with, as far as that is known. */
interface Expectation {
  intent: Intent;
  /** Any of these; none where it may be taken. */
  rejected?: number[];
  /** Rejected before anyone asks who is there. */
  isOutside?: boolean;
}

/** Sends one request at a time, and checks every response. */
export type Exchange = (attempt: Attempt, expectation: Expectation) => Promise<Received>;

const SHOWN_CHARACTERS = 600;
/** It tells of what was said while one was a member, and of workspaces one is invited to. */
const TELLS_OF_OTHERS = 'notifications';
/** A token names the workspaces it was made for, also one that its owner has left. */
const KEEPS_WHAT_IT_WAS_GIVEN = '/me/tokens';

export function createExchange(options: {
  target: Target;
  corpus: Corpus;
  oracle: Oracle;
  report: Report;
  isLimited: boolean;
  /** Hears of what was deleted. */
  onDeleted(deleted: DeletedResource): void;
  /** Hears of a task that a series made again under its id, also where it was deleted for good. */
  onReturned(taskId: string): void;
}): Exchange {
  const { target, corpus, oracle, report, isLimited } = options;
  const conformance = createConformance();
  return async (attempt, { intent, rejected = [], isOutside = false }) => {
    const { operation, person } = attempt;
    const sent = written(attempt);
    const guard = isOutside
      ? undefined
      : oracle.guardError(operation, tokenOf(attempt), attempt.params.workspace_id ?? '', target.now());
    const expected = guard === undefined ? rejected : [guard];
    const version = oracle.version();
    const response = await target.send(sent);
    for (const mail of await target.mails()) corpus.receive(mail);
    const body = parsed(response);
    report.requests += 1;
    count(report, operation.name, intent, response.status);

    const found = conformance(operation, response, body);
    const isExpected = expected.length === 0 || expected.includes(response.status);
    const isLate = isLimited && response.status === 429;
    if (!isExpected && !isLate) found.push(`${expected.join(' or ')} was due, not ${response.status}`);
    const isRejected = response.status >= 400;
    const now = oracle.version();
    const hasWritten = now.commits !== version.commits && now.audited === version.audited;
    if (isRejected && expected.length > 0 && !isLate && hasWritten)
      found.push('a rejected request left a trace');
    const foreign = oracle.foreignIdsIn(
      lookedAt(operation.name, response, body),
      isOutside ? undefined : person.id,
    );
    if (foreign.length > 0) found.push(`ids of foreign workspaces: ${foreign.join(', ')}`);
    for (const what of found) {
      addFinding(report, {
        seed: report.seed,
        number: report.requests,
        what,
        route: operation.name,
        request: shown(attempt, sent.target),
        response: `${response.status} ${response.text.slice(0, SHOWN_CHARACTERS)}`,
      });
    }
    if (intent === 'valid' || response.status < 300) {
      const deleted = absorb(corpus, attempt, response, body);
      if (deleted) options.onDeleted(deleted);
      if (response.status === 200 && operation.path.endsWith('/step-back'))
        options.onReturned(String((body as { nextTaskId?: unknown }).nextTaskId));
    }
    return response;
  };
}

const tokenOf = ({ headers }: Attempt): string => headers.Authorization?.replace(/^Bearer /, '') ?? '';

function parsed({ headers, text }: Received): unknown {
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function count({ tallies }: Report, name: string, intent: Intent, status: number): void {
  const tally = tallies.get(name);
  if (!tally) return;
  tally.sent[intent] += 1;
  if (status < 300) tally.accepted[intent] += 1;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
}

/** What of a response may hold nothing of workspaces that one is not in. */
function lookedAt(name: string, { text }: Received, body: unknown): string {
  if (name.includes(TELLS_OF_OTHERS) || name.includes(KEEPS_WHAT_IT_WAS_GIVEN)) return '';
  if (typeof body !== 'object' || body === null || !(TELLS_OF_OTHERS in body)) return text;
  return JSON.stringify({ ...body, [TELLS_OF_OTHERS]: [] });
}

/** Without secrets that would be of no use later: the run is repeated by its seed. */
function shown({ method, headers, raw, body, person }: Attempt, target: string): string {
  const { Authorization: authorization, ...others } = headers;
  const text = raw === undefined ? JSON.stringify(body) : String(raw);
  const who = authorization?.endsWith(person.accessToken) ? person.email : authorization;
  return `${method} ${target} as ${who} ${JSON.stringify(others)} ${text ?? ''}`.slice(0, SHOWN_CHARACTERS);
}
