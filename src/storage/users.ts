import { type Db, prepared, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { User } from '../users/schema.ts';
import { isNotBeingRemoved } from './removals.ts';
import type { UserPreferencesRow, UserRow } from './tables.ts';
import { recordPerson } from './workspaces.ts';

export const userOf = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  isEmailVerified: row.is_email_verified === 1,
});

const byId = prepared<{ id: string }, UserRow>((argument) =>
  query
    .selectFrom('users')
    .selectAll()
    .where('id', '=', argument('id'))
    .where(isNotBeingRemoved('user', 'users.id')),
);

const byEmail = prepared<{ email: string }, UserRow>((argument) =>
  query.selectFrom('users').selectAll().where('email', '=', argument('email')),
);

export const findUser = (db: Db, id: string) => db.one(byId({ id }));

/** `email` in its canonical form. */
export const findUserByEmail = (db: Db, email: string) => db.one(byEmail({ email }));

const disabledById = prepared<{ id: string }, { id: string }>((argument) =>
  query
    .selectFrom('users')
    .select('id')
    .where('id', '=', argument('id'))
    .where('disabled_at', 'is not', null),
);

/** Whether nobody may sign in to an account, nor is anything told or mailed to it. */
export const isDisabled = (db: Db, id: string): boolean => db.one(disabledById({ id })) !== undefined;

/** When the oldest account was created. */
export const firstAccountSince = (db: Db): Instant | undefined =>
  db.one(query.selectFrom('users').select('created_at').orderBy('id').limit(1))?.created_at;

export const insertUser = (db: Db, row: UserRow) => db.run(query.insertInto('users').values(row));

/** Returns undefined when there is no such user any more. */
export function updateUser(
  tx: Tx,
  id: string,
  now: Instant,
  changes: Partial<
    Pick<
      UserRow,
      'name' | 'email' | 'password_hash' | 'password_set_at' | 'disabled_at' | 'timezone' | 'week_start'
    >
  >,
): UserRow | undefined {
  const updated = tx.one(
    query
      .updateTable('users')
      .set({ ...changes, updated_at: now })
      .where('id', '=', id)
      .returningAll(),
  );
  if (updated && (changes.name !== undefined || changes.email !== undefined)) {
    recordPerson(tx, id, ['name', 'email']);
  }
  const isShown = [changes.name, changes.email, changes.password_set_at].some((value) => value !== undefined);
  if (updated && isShown) tx.tell({ userId: id, about: 'profile' });
  return updated;
}

/** Remembers when someone last signed in; no change of the account. */
export const noteSignIn = (db: Db, id: string, now: Instant) =>
  db.run(query.updateTable('users').set({ last_signed_in_at: now }).where('id', '=', id));

const timezoneById = prepared<{ id: string }, Pick<UserRow, 'timezone'>>((argument) =>
  query.selectFrom('users').select('timezone').where('id', '=', argument('id')),
);

/** Returns the time zone that a person chose, else UTC. */
export const timezoneOf = (db: Db, id: string): string =>
  db.cached(timezoneById({ id }))[0]?.timezone ?? 'UTC';

const preferencesById = prepared<{ id: string }, Pick<UserPreferencesRow, 'preferences'>>((argument) =>
  query
    .selectFrom('user_preferences')
    .innerJoin('users', 'users.code', 'user_preferences.user_code')
    .select('preferences')
    .where('users.id', '=', argument('id')),
);

/** Returns what clients keep for a person; nothing until they do. */
export const findPreferences = (db: Db, id: string) =>
  JSON.parse(db.one(preferencesById({ id }))?.preferences ?? '{}') as Record<string, unknown>;

/** Replaces what clients keep for a person. */
export const savePreferences = (db: Db, id: string, preferences: Record<string, unknown>) =>
  db.run(
    query
      .insertInto('user_preferences')
      .columns(['user_code', 'preferences'])
      .expression(
        query
          .selectFrom('users')
          .select((row) => ['code', row.val(JSON.stringify(preferences)).as('preferences')])
          .where('id', '=', id),
      )
      .onConflict((conflict) =>
        conflict.doUpdateSet((row) => ({ preferences: row.ref('excluded.preferences') })),
      ),
  );

/** Leaves nothing of someone's row but the id. */
export const anonymizeUser = (db: Db, id: string) =>
  db.run(
    query
      .updateTable('users')
      .set({ email: id, name: '', password_hash: null, password_set_at: null })
      .where('id', '=', id),
  );
