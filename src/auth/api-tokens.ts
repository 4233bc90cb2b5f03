import { z } from '@hono/zod-openapi';
import { recordAct } from '../audit/trail.ts';
import { type Db, ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { Id, InstantInput, titleUpTo, WireId, WireInstant } from '../http/fields.ts';
import { badRequest, type Issue, notFound, orNotFound, throwIfIssues } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Instant, toInstant, toMs } from '../kernel/instants.ts';
import { hashSecret } from '../kernel/secrets.ts';
import { apiTokenCreated, apiTokenExpiring } from '../mail/messages.ts';
import { notify } from '../notifications/notify.ts';
import type { Actor, SignedIn } from '../sessions/actor.ts';
import { newApiToken } from '../sessions/api-token-format.ts';
import { requireAccount, writeSignedIn } from '../sessions/authentication.ts';
import * as store from '../storage/api-tokens.ts';
import { enqueueMail } from '../storage/outbox.ts';
import type { ApiTokenRow } from '../storage/tables.ts';
import { findUser } from '../storage/users.ts';
import { findStanding } from '../storage/workspaces.ts';
import { LesserRole } from '../workspaces/schema.ts';

const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;
const MAX_TOKENS = 100;
const MAX_WORKSPACES = 1_000;
const NOTICE_MS = 7 * DAY;
const WORKSPACES_RULE = 'Must be null for all workspaces, or the ids of one or more that you are a member of';

const TokenTitle = titleUpTo(100).openapi({ example: 'Nightly report' });

const isIdList = (given: unknown): given is string[] =>
  Array.isArray(given) &&
  given.length > 0 &&
  given.length <= MAX_WORKSPACES &&
  given.every((id) => Id.safeParse(id).success);

export const ApiToken = z
  .object({
    id: WireId,
    title: z.string().openapi({ example: 'Nightly report' }),
    role: LesserRole.openapi({ description: 'The most it may do in a workspace, whatever its owner may' }),
    workspaceIds: z
      .array(WireId)
      .nullable()
      .openapi({ description: 'Where it may do anything; null for all workspaces of its owner' }),
    lastFour: z.string().openapi({ description: 'The last characters of the token', example: 'x7Kd' }),
    createdAt: WireInstant,
    expiresAt: WireInstant.nullable(),
    lastUsedAt: WireInstant.nullable().openapi({ description: 'To 10 minutes' }),
  })
  .openapi('ApiToken');
export type ApiToken = z.output<typeof ApiToken>;

export const NewApiToken = ApiToken.extend({
  token: z.string().openapi({
    description: 'The secret, sent as `Authorization: Bearer …`; shown this once',
    example: 'errand_Qm3vXy0aTz9cLr5eKd7hWf1jPg2nSb4uVi6oEqRtC8k1aB2cD',
  }),
}).openapi('CreatedApiToken');
export type NewApiToken = z.output<typeof NewApiToken>;

export const ApiTokenInput = z
  .object({
    title: TokenTitle,
    role: LesserRole,
    workspaceIds: z
      .custom<string[] | null>((given) => given === null || isIdList(given), WORKSPACES_RULE)
      .openapi({
        type: ['array', 'null'],
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_WORKSPACES,
        description: 'Null for all workspaces',
        example: null,
      }),
    expiresAt: InstantInput.nullable()
      .optional()
      .openapi({
        type: ['string', 'null'],
        description: `By default in ${DEFAULT_DAYS} days, at most in ${MAX_DAYS}; null, for never, only where the server allows it`,
      }),
  })
  .openapi('NewApiToken');
export type ApiTokenInput = z.output<typeof ApiTokenInput>;

export const ApiTokenPatch = z.object({ title: TokenTitle.optional() }).openapi('ApiTokenChanges');
export type ApiTokenPatch = z.output<typeof ApiTokenPatch>;

export const apiTokenOf = (row: store.ApiTokenWithWorkspaces): ApiToken => ({
  id: row.id,
  title: row.title,
  role: row.role,
  workspaceIds: row.workspaceIds,
  lastFour: row.last_four,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

/** What is wrong with the workspaces and the end that a new token is given. */
export function apiTokenIssues(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  db: Db,
  { userId }: Actor,
  { workspaceIds, expiresAt }: Partial<ApiTokenInput>,
): Issue[] {
  const isMember = (workspaceId: string) =>
    (findStanding(db, { workspaceId: workspaceId.toLowerCase(), userId })?.role ?? null) !== null;
  const message = endRule(config.auth.tokens_may_last, clock.now(), expiresAt);
  return [
    ...(workspaceIds && !workspaceIds.every(isMember)
      ? [{ path: 'workspaceIds', message: WORKSPACES_RULE }]
      : []),
    ...(message === undefined ? [] : [{ path: 'expiresAt', message }]),
  ];
}

function endRule(mayLast: boolean, now: number, expiresAt: Instant | null | undefined): string | undefined {
  if (expiresAt === undefined) return undefined;
  if (expiresAt === null) return mayLast ? undefined : 'Must be a time: tokens end on this server';
  if (toMs(expiresAt) <= now) return 'Must be in the future';
  return toMs(expiresAt) > now + MAX_DAYS * DAY ? `Must be within ${MAX_DAYS} days` : undefined;
}

/** Makes an API token of the caller and mails them a notice. 400 beyond 100 tokens. */
export function createApiToken(deps: Deps, who: SignedIn, input: ApiTokenInput): Promise<NewApiToken> {
  const now = deps.clock.now();
  const token = newApiToken();
  const workspaceIds = input.workspaceIds && [...new Set(input.workspaceIds.map((id) => id.toLowerCase()))];
  const end = input.expiresAt === undefined ? toInstant(now + DEFAULT_DAYS * DAY) : input.expiresAt;
  const row: ApiTokenRow = {
    id: newId(now),
    user_id: who.userId,
    title: input.title,
    role: input.role,
    is_limited: workspaceIds === null ? 0 : 1,
    hash: hashSecret(token),
    last_four: token.slice(-4),
    created_at: toInstant(now),
    expires_at: end,
    notice_at: end === null || toMs(end) - NOTICE_MS <= now ? null : toInstant(toMs(end) - NOTICE_MS),
    last_used_at: null,
  };
  return writeSignedIn(deps, who, (tx) => {
    throwIfIssues(apiTokenIssues(deps, tx, who, input));
    if (store.countApiTokens(tx, who.userId, row.created_at) >= MAX_TOKENS) {
      throw badRequest(`You have ${MAX_TOKENS} API tokens already: delete one first`);
    }
    const { email } = requireAccount(tx, who);
    store.insertApiToken(tx, row, workspaceIds ?? []);
    const message = apiTokenCreated(deps.config, email, row.title);
    enqueueMail(deps, tx, { kind: 'api-token-created', to: email, message, userId: who.userId }, now);
    recordAct(
      deps,
      tx,
      { event: 'api-token-created', userId: who.userId, tokenId: row.id },
      'API token made',
    );
    return { ...apiTokenOf({ ...row, workspaceIds }), token };
  });
}

/** Changes the title of one of the caller's tokens. */
export function renameApiToken(
  deps: Deps,
  who: SignedIn,
  id: string,
  { title }: ApiTokenPatch,
): Promise<ApiToken> {
  const now = toInstant(deps.clock.now());
  return writeSignedIn(deps, who, (tx) =>
    apiTokenOf(orNotFound(store.renameApiToken(tx, who.userId, id, title, now), 'API token')),
  );
}

/** Revokes one of the caller's tokens. */
export async function revokeApiToken(deps: Deps, who: SignedIn, id: string): Promise<undefined> {
  await writeSignedIn(deps, who, (tx) => {
    if (store.revokeApiTokens(tx, who.userId, { id }) === 0) throw notFound('API token');
    recordAct(deps, tx, { event: 'api-token-revoked', userId: who.userId, tokenId: id }, 'API token revoked');
  });
}

/** Tells the owners of tokens that end within a week, each once, by a notification and a mail. */
export async function notifyExpiringTokens(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const at = toInstant(now);
  for (;;) {
    const tokens = store.expiringApiTokens(deps.read, at, ROW_BATCH_SIZE);
    for (const token of tokens) await deps.write((tx) => void notifyExpiring(deps, tx, token, now));
    if (tokens.length < ROW_BATCH_SIZE) return;
  }
}

function notifyExpiring(deps: Deps, tx: Tx, token: ApiTokenRow, now: number): void {
  const { id, user_id: userId, title, expires_at: expiresAt } = token;
  const user = findUser(tx, userId);
  if (!store.takeExpiryNotice(tx, id) || !user || expiresAt === null || toMs(expiresAt) <= now) return;
  const day = expiresAt.slice(0, 10);
  const notice = {
    type: 'token.expiring',
    actorId: null,
    workspaceId: null,
    title: `The API token ${title} ends on ${day}`,
    body: 'What uses it stops working then. Make another one in time.',
    data: { tokenId: id },
  } as const;
  notify(tx, [userId], notice, toInstant(now));
  const message = apiTokenExpiring(deps.config, user.email, title, day);
  enqueueMail(deps, tx, { kind: 'api-token-expiring', to: user.email, message, userId }, now);
}
