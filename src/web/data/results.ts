import type { ErrorResponse, Outcome } from './api.ts';
import { type Change, isEqual } from './change.ts';
import { isBatched } from './requests.ts';
import type { Row } from './rows.ts';

/** A change that was sent, and what the server said of it. */
export type ChangeResult = { change: Change; result: { kind: 'ok'; body: unknown } | ErrorResponse };

/** What became of each change of a request. */
export function resultsOf(group: readonly Change[], outcome: Outcome): ChangeResult[] {
  if (outcome.kind === 'network') return [];
  const [first] = group;
  if (outcome.kind === 'error' || !first || !isBatched(first))
    return group.map((change) => ({ change, result: outcome }));
  const results = (outcome.body as { results?: Row[] } | null)?.results;
  return group.flatMap((change, index): ChangeResult[] => {
    const found = results?.[index];
    if (!found) return [];
    const status = Number(found.status);
    if (status < 300) return [{ change, result: { kind: 'ok', body: found.task ?? null } }];
    const failure = { status, error: String(found.error ?? ''), message: String(found.message ?? '') };
    const issues = (found.issues ?? []) as ErrorResponse['issues'];
    return [{ change, result: { kind: 'error', ...failure, issues, retryAfter: 1 } }];
  });
}

/** Errors that say that what was wanted is so: gone already, there already. */
export function isDone({ op, sent }: Change, { status, issues }: ErrorResponse): boolean {
  if (op === 'delete' || op === 'removeItem') return status === 404;
  if (sent < 2) return false;
  if (op === 'restore') return status === 404;
  if (status !== 400) return false;
  // A step that was taken back already is not the upcoming one any more.
  const at = op === 'stepBack' ? 'occurrenceAt' : op === 'create' || op === 'addItem' ? 'id' : undefined;
  return issues.some(({ path }) => path === at);
}

/** Whether a status is named that the server does not know any more. */
export const isStatusGone = ({ fields }: Change, result: ChangeResult['result']): boolean =>
  result.kind === 'error' &&
  result.status === 400 &&
  typeof fields.statusId === 'string' &&
  result.issues.some(({ path }) => path === 'statusId' || path.endsWith('.statusId'));

/** Whether the workspace itself may be what denies; a 404 of a deletion is its success. */
export const isDenied = (change: Change, result: ChangeResult['result']): boolean =>
  result.kind === 'error' && (result.status === 403 || result.status === 404) && !isDone(change, result);

/** Where a label of that title was there already, what names mine names that one. */
export function renameLabel(change: Change, body: unknown, outbox: readonly Change[]): Change[] {
  const id = (body as Row | null)?.id;
  if (change.kind !== 'label' || change.op !== 'create' || typeof id !== 'string' || id === change.thing)
    return [];
  const swap = (value: unknown): unknown =>
    Array.isArray(value) ? [...new Set(value.map((each) => (each === change.thing ? id : each)))] : value;
  return outbox.flatMap((other) => {
    const fields = Object.fromEntries(
      Object.entries(other.fields).map(([name, value]) => [name, swap(value)]),
    );
    const thing = other.thing === change.thing && other.id !== change.id ? id : other.thing;
    const isSame = thing === other.thing && isEqual(fields, other.fields);
    return isSame ? [] : [{ ...other, thing, fields }];
  });
}
