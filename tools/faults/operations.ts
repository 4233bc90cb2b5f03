import type { Site } from './drill.ts';
import { type Person, signUp, signupTokenTo } from './person.ts';
import { type ApiResponse, call, type Mailbox } from './server.ts';
import { inDatabase } from './wrong.ts';

/** One request, prepared while all is well, to be made while the disk fails. */
interface Attempt {
  act(): Promise<ApiResponse | undefined>;
  /** The status that acknowledges it. */
  status: number;
  /** Asked when all is well again: whether what is there is what was returned. */
  isAsReturned(wasDone: boolean): Promise<boolean>;
}

export interface Operation {
  name: string;
  prepare(): Promise<Attempt>;
}

/** The writes that a server is held to while its disk fails. */
const operationsOf = (site: Site, base: string, mailbox: Mailbox, person: Person): Operation[] => {
  const email = () => `${crypto.randomUUID()}@example.com`;
  const register = (address: string) =>
    call(base, 'POST', '/auth/register', {
      body: { email: address, password: `password of ${address}`, name: 'First' },
    });
  const isThere = (sql: string, value: string) =>
    inDatabase(site.folder, (database) => database.prepare(sql).get(value) !== undefined);

  return [
    {
      name: 'register',
      prepare: async () => {
        const address = email();
        return {
          act: () => register(address),
          status: 201,
          isAsReturned: async (wasDone) =>
            wasDone
              ? (await signupTokenTo(mailbox, address)) !== ''
              : !isThere('select 1 from pending_signups where email = ?', address),
        };
      },
    },
    {
      name: 'confirm',
      prepare: async () => {
        const address = email();
        await register(address);
        const token = await signupTokenTo(mailbox, address);
        const confirm = () => call(base, 'POST', '/auth/register/confirm', { body: { token } });
        return {
          act: confirm,
          status: 201,
          isAsReturned: async (wasDone) => {
            if (isThere('select 1 from users where email = ?', address) !== wasDone) return false;
            return ((await confirm())?.status === 201) !== wasDone;
          },
        };
      },
    },
    {
      name: 'refresh',
      prepare: async () => {
        const body = { email: person.email, password: person.password };
        const before = (await call(base, 'POST', '/auth/login', { body }))?.body.refreshToken;
        const refresh = (refreshToken: string) =>
          call(base, 'POST', '/auth/refresh', { body: { refreshToken } });
        let after = before;
        return {
          act: async () => {
            const response = await refresh(before);
            if (response?.status === 200) after = response.body.refreshToken;
            return response;
          },
          status: 200,
          isAsReturned: async () => (await refresh(after))?.status === 200,
        };
      },
    },
    {
      name: 'add task',
      prepare: async () => {
        const title = crypto.randomUUID();
        const { access: token, workspaceId, listId } = person;
        return {
          act: () =>
            call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token, body: { listId, title } }),
          status: 201,
          isAsReturned: async (wasDone) => isThere('select 1 from tasks where title = ?', title) === wasDone,
        };
      },
    },
  ];
};

/** Whether it was acknowledged. The only other clean response is a 503 that tells nothing of the disk. */
export function wasDone(
  site: Site,
  { name }: Operation,
  { status }: Attempt,
  response: ApiResponse | undefined,
) {
  site.count(`${name} ${response?.status ?? 'cut off'}`);
  if (response?.status === status) return true;
  if (response?.status !== 503 || response.body.error !== 'ServiceUnavailableError') {
    site.lose(`${name} got ${JSON.stringify(response)}`);
  }
  return false;
}

/** Every operation must be done now, and stand. */
export async function recovers(site: Site, operations: Operation[], when: string): Promise<void> {
  for (const operation of operations) {
    const attempt = await operation.prepare();
    const isDone = wasDone(site, operation, attempt, await attempt.act());
    if (!isDone || !(await attempt.isAsReturned(true)))
      site.lose(`${when}: no recovery of ${operation.name}`);
  }
}

export const startOperations = async (site: Site, base: string, mailbox: Mailbox): Promise<Operation[]> =>
  operationsOf(site, base, mailbox, await signUp(base, mailbox));
