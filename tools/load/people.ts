import { join } from 'node:path';
import { createAccount } from '../../src/auth/account/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { PASSWORD } from '../bench/data.ts';

/** Someone with a workspace of their own. */
export interface Person {
  email: string;
  workspaceId: string;
  listId: string;
}

/** Adds accounts to the data in `folder`, all of them members of the first one's workspace too. */
export async function addPeople(folder: string, count: number): Promise<Person[]> {
  const config = createConfig({ database: { path: join(folder, 'errand.db') } });
  const opened = await openDeps(config, silentLog, { role: 'command' });
  const passwordHash = await argon2Passwords().hash(PASSWORD);
  const now = Date.now();
  const people = await opened.writer.write((tx) => {
    const made = Array.from({ length: count }, (_, i) => {
      const email = `stream${i}@example.com`;
      const { id } = createAccount(opened.deps, tx, { email, name: `Stream ${i}`, passwordHash }, now);
      const place = tx.one(
        query
          .selectFrom('workspaces')
          .innerJoin('lists', 'lists.workspace_id', 'workspaces.id')
          .select(['workspaces.id as workspaceId', 'lists.id as listId'])
          .where('owner_id', '=', id),
      );
      if (!place) throw new Error('An account has no list');
      return { id, email, ...place };
    });
    const shared = made[0]?.workspaceId ?? '';
    for (const { id } of made.slice(1)) {
      const member = { workspace_id: shared, user_id: id, role: 'member' as const, is_default: 0 as const };
      tx.run(query.insertInto('members').values({ ...member, joined_at: new Date(now).toISOString() }));
    }
    return made.map(({ email, workspaceId, listId }) => ({ email, workspaceId, listId }));
  });
  await opened.close();
  return people;
}
