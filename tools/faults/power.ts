import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { drill, type Site } from './drill.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';
import { Disk, deedsIn, tracingWrites } from './written.ts';
import { inDatabase, wrongIn } from './wrong.ts';

const FILES = ['errand.db', 'errand.db-wal'];
const CLIENTS = 8;
/** Long enough that the log is copied into the file several times. */
const DESCRIPTION = 'what must not be lost; '.repeat(1_000).trim();
/** Of the sectors that were not synced: none, some or all are on the disk. */
const CHANCES = [0, 0.5, 1];

interface Acknowledged {
  title: string;
  /** Milliseconds since the epoch, rounded up. */
  at: number;
}

/** Everything acknowledged must be there when the power is cut, whatever became of writes that were not synced. */
export const power = drill({
  about: 'power cuts: what was not synced is there in part, in any order',
  counts: { tasks: 2_000, cuts: 20 },
  run: async (site, { tasks, cuts }) => {
    const before = join(site.folder, 'before');
    const person = await someoneIn(site, before);
    for (const sync of ['commit', 'beside']) await cutsPower(site, before, person, { tasks, cuts, sync });
  },
});

async function cutsPower(
  site: Site,
  before: string,
  person: Person,
  { tasks, cuts, sync }: { tasks: number; cuts: number; sync: string },
): Promise<void> {
  const live = join(site.folder, `live-${sync}`);
  cpSync(before, live, { recursive: true });
  mkdirSync(join(site.folder, sync));
  const trace = join(site.folder, sync, 'trace');
  const acknowledged = await work(site, live, trace, person, { tasks, sync });
  const deeds = await deedsIn(trace);
  const syncs = deeds.filter(({ change }) => !change).length;
  const inFile = deeds.filter(({ file, change }) => file === 'errand.db' && change).length;
  site.tell(
    `sync ${sync}: ${deeds.length - syncs} writes, ${inFile} of them to the file beside its log, ${syncs} syncs`,
  );
  if (inFile === 0) site.lose('The log was never copied into the file: more tasks are needed');
  const disk = new Disk(before);
  const moments = Array.from({ length: cuts }, () => Math.floor(Math.random() * deeds.length));
  let done = 0;
  for (const [n, moment] of moments.sort((a, b) => a - b).entries()) {
    for (const deed of deeds.slice(done, moment)) disk.do(deed);
    done = moment;
    const now = deeds[moment - 1]?.at ?? 0;
    const told = acknowledged.filter(({ at }) => at <= now).map(({ title }) => title);
    const chance = CHANCES[n % CHANCES.length] ?? 0;
    const folder = join(site.folder, 'after');
    rmSync(folder, { recursive: true, force: true });
    disk.cut(folder, chance);
    await survives(
      site,
      folder,
      told,
      `sync ${sync}, cut at ${moment} of ${deeds.length}, ${chance} of the rest there`,
    );
  }
}

async function someoneIn(site: Site, folder: string): Promise<Person> {
  mkdirSync(folder);
  const mailbox = createMailbox();
  const server = startServer(folder, mailbox);
  const person = await signUp(await server.listening, mailbox);
  await stops(server, site, 'the first stop');
  return person;
}

/** Adds tasks to a server whose writes are traced, and stops it. */
async function work(
  site: Site,
  folder: string,
  trace: string,
  person: Person,
  { tasks, sync }: { tasks: number; sync: string },
) {
  const { access: token, workspaceId, listId } = person;
  const files = FILES.map((file) => join(folder, file));
  const server = startServer(folder, createMailbox(), tracingWrites(trace, files), {
    ERRAND_DATABASE_SYNC: sync,
  });
  const base = await server.listening;
  const acknowledged: Acknowledged[] = [];
  const client = async () => {
    for (let i = 0; i < tasks / CLIENTS; i += 1) {
      const title = crypto.randomUUID();
      const body = { listId, title, description: DESCRIPTION };
      const response = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token, body });
      if (response?.status === 201) acknowledged.push({ title, at: Date.now() + 1 });
      else site.lose(`a task got ${JSON.stringify(response)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await stops(server, site, 'the stop under the trace');
  return acknowledged;
}

/** The server must start on what is left, and it must hold every task that was told to be there. */
async function survives(site: Site, folder: string, told: string[], when: string): Promise<void> {
  const server = startServer(folder, createMailbox());
  await server.listening;
  await stops(server, site, when);
  for (const wrong of wrongIn(folder)) site.lose(`${when}: ${wrong}`);
  const whole = inDatabase(folder, (database) =>
    database
      .prepare<[string], string>('select title from tasks where description = ?')
      .pluck()
      .all(DESCRIPTION),
  );
  const isWhole = new Set(whole);
  const lost = told.filter((title) => !isWhole.has(title));
  if (lost.length > 0) site.lose(`${when}: ${lost.length} of ${told.length} acknowledged tasks`);
  site.count('power cuts survived');
}
