import { type Db, prepared, query } from '../db/connection.ts';
import { isNotBeingRemoved } from '../db/removed.ts';
import type { UserRow } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { User } from './schema.ts';

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

/** Every account, the oldest first. */
export const listEveryUser = (db: Db): UserRow[] =>
  db.all(
    query
      .selectFrom('users')
      .selectAll()
      .where(isNotBeingRemoved('user', 'users.id'))
      .orderBy('created_at')
      .orderBy('id'),
  );

export const insertUser = (db: Db, row: UserRow) => db.run(query.insertInto('users').values(row));

/** Answers undefined when there is no such user any more. */
export const updateUser = (
  db: Db,
  id: string,
  now: Instant,
  changes: Partial<Pick<UserRow, 'name' | 'email' | 'password_hash' | 'password_set_at'>>,
) =>
  db.one(
    query
      .updateTable('users')
      .set({ ...changes, updated_at: now })
      .where('id', '=', id)
      .returningAll(),
  );
