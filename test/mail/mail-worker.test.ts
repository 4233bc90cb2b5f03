import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Db, Query } from '../../src/db/connection.ts';
import { DAY, MINUTE, SECOND, toInstant, toMs } from '../../src/kernel/instants.ts';
import { message } from '../../src/mail/messages.ts';
import type { Delivery, OutgoingMail, Transport } from '../../src/mail/worker.ts';
import {
  deleteMailsOf,
  deleteMailsTo,
  deleteMailsWith,
  dueMails,
  enqueueMail,
  type Mail,
  purgeMails,
  retryMail,
} from '../../src/storage/outbox.ts';
import { listMails, showMail } from '../../src/storage/outbox-listing.ts';
import { tick } from '../../src/tick.ts';
import { newFolder } from '../new-folder.ts';
import { withoutPassword } from '../people.ts';
import { collecting, openWorld, type World } from '../world.ts';

const TAKEN: Delivery = { kind: 'taken' };
const REJECTED: Delivery = { kind: 'rejected', reason: '550 5.1.1' };
const DELAYED: Delivery = { kind: 'delayed', reason: '450 busy' };

let world: World;
/** Every mail handed to the transport, in order. */
let sent: OutgoingMail[];
/** What the transport returns; a test puts its own in place. */
let response: (mail: OutgoingMail) => Delivery | Promise<Delivery>;

const scripted: Transport = {
  ...collecting([]),
  deliver: async (mail) => {
    sent.push(mail);
    return response(mail);
  },
};

beforeEach(async () => {
  sent = [];
  response = () => TAKEN;
  world = await openWorld({ transport: scripted });
});

const mailTo = (to: string, more: Partial<Mail> = {}): Mail => ({
  kind: 'notice',
  to,
  message: message({ subject: 'Hello', paragraphs: [`to ${to}`], token: `token-for-${to}` }),
  userId: null,
  ...more,
});
const promise = (...mails: Mail[]) =>
  world.deps.write((tx) => {
    for (const mail of mails) enqueueMail(world.deps, tx, mail, world.clock.now());
  });
const later = async (ms: number) => {
  world.clock.advance(ms);
  world.deps.mailer.wake();
  await world.untilIdle();
};
const sentTo = () => sent.map(({ to }) => to);
const only = () => {
  const [mail, ...more] = listMails(world.deps.read);
  if (!mail || more.length > 0) throw new Error('There is not exactly one mail');
  return mail;
};
const rows = () => world.rows<{ state: string; content: Buffer | null }>('select state, content from outbox');

describe('a promised mail', () => {
  it('goes out when the commit that caused it is on the disk, and never without it', async () => {
    await expect(
      world.deps.write((tx) => {
        enqueueMail(world.deps, tx, mailTo('a@example.com'), world.clock.now());
        throw new Error('the cause fails');
      }),
    ).rejects.toThrow('the cause fails');
    await world.untilIdle();
    expect([sent, rows()]).toEqual([[], []]);

    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    expect(sent).toEqual([expect.objectContaining({ to: 'a@example.com', id: only().id })]);
    expect(only()).toMatchObject({ state: 'sent', attempts: 1, lastError: null });
  });

  it('survives the death of the process and is sent under the same id', async () => {
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<Delivery>();
    response = () => {
      reached.resolve();
      return release.promise;
    };
    await promise(mailTo('a@example.com'), mailTo('b@example.com'));
    await reached.promise;
    const folder = newFolder('killed');
    for (const file of ['errand.db', 'errand.db-wal', 'keys.json'])
      copyFileSync(join(world.folder, file), join(folder, file));

    const again = await openWorld({ folder, transport: scripted });
    const before = sent.splice(0);
    response = () => TAKEN;
    again.deps.mailer.wake();
    await again.untilIdle();
    expect(sent.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    expect(listMails(again.deps.read).map(({ state }) => state)).toEqual(['sent', 'sent']);
    release.resolve(TAKEN);
  });

  it('comes back after 10 s, 20 s, 40 s … 15 minutes, and not a millisecond earlier', async () => {
    response = () => DELAYED;
    const waits: number[] = [];
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      expect(only()).toMatchObject({ state: 'queued', attempts: attempt, lastError: '450 busy' });
      const wait = toMs(only().nextAttemptAt ?? '') - world.clock.now();
      waits.push(wait / SECOND);
      await later(wait - 1);
      expect(sent).toHaveLength(attempt);
      await later(1);
      expect(sent).toHaveLength(attempt + 1);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('is dropped, not sent, once what it carries has expired', async () => {
    response = () => DELAYED;
    const expiresAt = toInstant(world.clock.now() + 10 * MINUTE);
    await promise(mailTo('a@example.com', { secret: { id: 'secret', expiresAt } }));
    await world.untilIdle();
    response = () => TAKEN;
    world.clock.advance(10 * MINUTE);
    await later(0);
    expect(sent).toHaveLength(1);
    await tick(world.deps);
    expect(only()).toMatchObject({ state: 'failed', lastError: 'expired before it could be sent; 450 busy' });
    expect(rows()).toEqual([{ state: 'failed', content: null }]);
  });

  it('is forgotten a week after it expired', async () => {
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    world.clock.advance(10 * DAY - 1);
    await tick(world.deps);
    expect(listMails(world.deps.read)).toHaveLength(1);
    world.clock.advance(1);
    await tick(world.deps);
    expect(listMails(world.deps.read)).toEqual([]);
  });

  it('goes with the secret it carries, when that is spent first', async () => {
    response = () => DELAYED;
    const expiresAt = toInstant(world.clock.now() + DAY);
    await promise(mailTo('a@example.com', { secret: { id: 'secret', expiresAt } }));
    await world.untilIdle();
    await world.deps.write((tx) => deleteMailsWith(tx, [{ id: 'secret' }]));
    await later(MINUTE);
    expect([sent.length, rows()]).toEqual([1, []]);
  });
});

describe('order', () => {
  it('a code overtakes a backlog of a thousand', async () => {
    const backlog = Array.from({ length: 1_000 }, (_, i) => mailTo(`u${i}@example.com`));
    await promise(...backlog, mailTo('code@example.com', { urgent: true }));
    await world.untilIdle();
    expect(sent[0]?.to).toBe('code@example.com');
    expect(new Set(sentTo()).size).toBe(1_001);
  });

  it('the code that someone asks for overtakes what has waited longer', async () => {
    const email = 'ada@example.com';
    await withoutPassword(world, email);
    response = () => DELAYED;
    await promise(...Array.from({ length: 20 }, (_, i) => mailTo(`u${i}@example.com`)));
    await world.untilIdle();
    world.clock.advance(SECOND);
    await world.call('POST', '/auth/login/code', { body: { email } });
    await world.untilIdle();
    response = () => TAKEN;
    sent = [];
    await later(10 * SECOND);
    expect([sent.length, sent[0]?.to]).toEqual([21, email]);
  });

  it('a code that comes while slow mails hold every other place goes out at once', async () => {
    const full = Promise.withResolvers<void>();
    const code = Promise.withResolvers<void>();
    const slow: PromiseWithResolvers<Delivery>[] = [];
    let inFlight = 0;
    let most = 0;
    response = async ({ to }) => {
      if (to === 'code@example.com') code.resolve();
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (inFlight === 4) full.resolve();
      const held = Promise.withResolvers<Delivery>();
      slow.push(held);
      if (to === 'code@example.com') held.resolve(TAKEN);
      const delivery = await held.promise;
      inFlight -= 1;
      return delivery;
    };
    await promise(...Array.from({ length: 20 }, (_, i) => mailTo(`u${i}@example.com`)));
    await full.promise;
    await promise(mailTo('code@example.com', { urgent: true }));
    await code.promise;
    expect(sentTo().filter((to) => to !== 'code@example.com')).toHaveLength(4);
    response = () => TAKEN;
    for (const held of slow) held.resolve(TAKEN);
    await world.untilIdle();
    expect([sent.length, most]).toEqual([21, 5]);
  });

  it('no more than five are under way at once, codes included', async () => {
    const held = Promise.withResolvers<Delivery>();
    const full = Promise.withResolvers<void>();
    response = () => {
      if (sent.length === 5) full.resolve();
      return held.promise;
    };
    await promise(...Array.from({ length: 20 }, (_, i) => mailTo(`u${i}@example.com`, { urgent: true })));
    await full.promise;
    await promise(mailTo('one-more@example.com', { urgent: true }));
    await world.opened.writer.idle();
    expect(sent).toHaveLength(5);
    held.resolve(TAKEN);
    await world.untilIdle();
    expect(sent).toHaveLength(21);
  });

  it('a slow mail holds up no other', async () => {
    const held = Promise.withResolvers<Delivery>();
    const last = Promise.withResolvers<void>();
    response = ({ to }) => {
      if (to === 'u29@example.com') last.resolve();
      return to === 'u0@example.com' ? held.promise : TAKEN;
    };
    await promise(...Array.from({ length: 30 }, (_, i) => mailTo(`u${i}@example.com`)));
    await last.promise;
    held.resolve(TAKEN);
    await world.untilIdle();
    expect(sent).toHaveLength(30);
  });

  it('a rejected mail is tried once and stops no other', async () => {
    response = ({ to }) => (to.startsWith('poison') ? REJECTED : TAKEN);
    await promise(mailTo('poison@example.com'), mailTo('a@example.com'), mailTo('b@example.com'));
    await world.untilIdle();
    await later(DAY);
    expect(sentTo().sort()).toEqual(['a@example.com', 'b@example.com', 'poison@example.com']);
    expect(listMails(world.deps.read).find(({ to }) => to.startsWith('poison'))).toMatchObject({
      state: 'failed',
      attempts: 1,
      lastError: '550 5.1.1',
    });
  });
});

describe('trouble', () => {
  it('a mail that cannot be decrypted is marked failed, and the rest goes on', async () => {
    const { storage } = world.opened;
    response = () => DELAYED;
    await promise(mailTo('broken@example.com'), mailTo('short@example.com'), mailTo('a@example.com'));
    await world.untilIdle();
    sent = [];
    response = () => TAKEN;
    const damage = storage.writing.prepare('update outbox set content = ? where recipient = ?');
    damage.run(Buffer.alloc(100), 'broken@example.com');
    damage.run(Buffer.alloc(3), 'short@example.com');
    await later(10 * SECOND);
    expect(sentTo()).toEqual(['a@example.com']);
    const broken = listMails(world.deps.read).filter(({ state }) => state === 'failed');
    expect(broken.map(({ to }) => to).sort()).toEqual(['broken@example.com', 'short@example.com']);
    for (const mail of broken) {
      expect(mail.lastError).toBe('the content cannot be decrypted with the present key file');
      expect(showMail(world.deps.read, world.deps.keys, mail.id)?.message).toBeNull();
    }
  });

  it('a transport that throws delays the mail', async () => {
    response = () => {
      throw new Error('token-for-a@example.com');
    };
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    expect(sent).toHaveLength(1);
    expect(only()).toMatchObject({ state: 'queued', attempts: 1, lastError: 'the transport failed' });
  });

  it('a mail whose fate the storage does not take is not sent again and again, and no other is sent', async () => {
    const { storage } = world.opened;
    storage.writing.exec(
      `create trigger failing before update on outbox begin select raise(abort, 'the disk fails'); end`,
    );
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    await promise(mailTo('b@example.com'));
    await world.untilIdle();
    await later(MINUTE);
    expect(sentTo()).toEqual(['a@example.com']);
    storage.writing.exec('drop trigger failing');
    await later(5 * SECOND);
    expect(sentTo()).toEqual(['a@example.com', 'b@example.com']);
    expect(listMails(world.deps.read).map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it('stopping lets what is under way finish and starts nothing more', async () => {
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<Delivery>();
    response = () => {
      reached.resolve();
      return held.promise;
    };
    await promise(...Array.from({ length: 10 }, (_, i) => mailTo(`u${i}@example.com`)));
    await reached.promise;
    const stopped = world.deps.mailer.stop();
    held.resolve(TAKEN);
    await stopped;
    world.deps.mailer.wake();
    await world.untilIdle();
    const states = listMails(world.deps.read).map(({ state }) => state);
    expect([sent.length, states.filter((state) => state === 'sent').length]).toEqual([4, 4]);
  });

  it('stopping waits 5 seconds, then closes the transport under what hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const held = Promise.withResolvers<Delivery>();
    const reached = Promise.withResolvers<void>();
    response = () => {
      reached.resolve();
      return held.promise;
    };
    const close = vi.spyOn(scripted, 'close').mockImplementation(() => held.resolve(DELAYED));
    onTestFinished(() => close.mockRestore());
    await promise(mailTo('a@example.com'));
    await reached.promise;
    const stopped = world.deps.mailer.stop();
    vi.advanceTimersByTime(5 * SECOND - 1);
    expect(close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await stopped;
    expect(only().state).toBe('queued');
  });
});

describe('secrets', () => {
  const bytesOf = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name !== 'keys.json')
      .map((name) => readFileSync(join(folder, name)));

  it('no token or code of any mail lies readable in the database file or its WAL, before or after it is sent', async () => {
    const email = 'ada@example.com';
    await world.call('POST', '/auth/register', { body: { email, password: 'password1', name: 'Ada' } });
    await world.untilIdle();
    const ada = await world.call('POST', '/auth/register/confirm', { body: { token: sent[0]?.token } });
    const secrets = async (expected: Delivery) => {
      response = () => expected;
      await world.call('POST', '/auth/register', {
        body: { email: 'new@example.com', password: 'password1', name: 'N' },
      });
      await world.call('POST', '/auth/password/reset/request', { body: { email } });
      await world.call('POST', '/auth/login/code', { body: { email } });
      await world.call('POST', '/auth/email/change/request', {
        token: ada.body.accessToken,
        body: { newEmail: 'other@example.com' },
      });
      await world.untilIdle();
    };
    await secrets(DELAYED);
    await secrets(TAKEN);
    const told = sent.flatMap(({ token, code, link }) => [token, link, code && `Code: ${code}`]);
    const needles = told.filter((text) => text !== undefined);
    expect(needles.length).toBeGreaterThan(18);
    for (const bytes of bytesOf(world.folder))
      for (const needle of needles) expect(bytes.includes(needle)).toBe(false);
  });

  it('a mail that SMTP has taken is erased, a delayed or rejected one stays readable for the admin', async () => {
    response = ({ to }) => (to[0] === 't' ? TAKEN : to[0] === 'd' ? DELAYED : REJECTED);
    await promise(mailTo('t@example.com'), mailTo('d@example.com'), mailTo('r@example.com'));
    await world.untilIdle();
    const shown = listMails(world.deps.read).map(({ id }) => showMail(world.deps.read, world.deps.keys, id));
    expect(Object.fromEntries(shown.map((mail) => [mail?.to, mail?.message?.token ?? null]))).toEqual({
      't@example.com': null,
      'd@example.com': 'token-for-d@example.com',
      'r@example.com': 'token-for-r@example.com',
    });
  });

  it('decoys are never sent, never listed, and leave no row once they have expired', async () => {
    await world.call('POST', '/auth/password/reset/request', { body: { email: 'nobody@example.com' } });
    await world.call('POST', '/auth/login/code', { body: { email: 'nobody@example.com' } });
    await world.untilIdle();
    expect([sent, listMails(world.deps.read)]).toEqual([[], []]);
    world.clock.advance(DAY);
    await tick(world.deps);
    expect([sent, rows()]).toEqual([[], []]);
  });
});

describe('what has expired', () => {
  it('is purged by one tick, however much it is, and the rest stays', async () => {
    const put = world.opened.storage.writing.prepare(
      `insert into outbox
         (id, priority, kind, recipient, content, state, attempts, next_attempt_at, expires_at, created_at)
       select :state || :expires || (:content is null) || value, 2, 'notice', 'a@example.com', :content, :state, 0,
         :expires, :expires, :expires
       from json_each(:numbers)`,
    );
    const numbers = JSON.stringify(Array.from({ length: 2_500 }, (_, i) => i));
    const now = world.clock.now();
    for (const expires of [now - 8 * DAY, now - DAY, now + DAY].map(toInstant)) {
      for (const state of ['queued', 'sent', 'failed', 'decoy'])
        put.run({ state, expires, content: Buffer.from('sealed'), numbers });
      put.run({ state: 'sent', expires, content: null, numbers });
    }
    await tick(world.deps);
    const left = world.opened.storage.reading
      .prepare(
        'select expires_at > ? as lives, state, content is null as erased, count(*) as n from outbox group by 1, 2, 3',
      )
      .raw()
      .all(toInstant(now));
    expect(left).toEqual([
      [0, 'failed', 1, 5_000],
      [0, 'sent', 1, 5_000],
      [1, 'decoy', 0, 2_500],
      [1, 'failed', 0, 2_500],
      [1, 'queued', 0, 2_500],
      [1, 'sent', 0, 2_500],
      [1, 'sent', 1, 2_500],
    ]);
  });
});

describe('what an admin can do', () => {
  it('lists the newest mails first, without their content', async () => {
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    world.clock.advance(1);
    await promise(mailTo('b@example.com', { kind: 'other' }));
    await world.untilIdle();
    expect(listMails(world.deps.read)).toEqual([
      expect.objectContaining({ to: 'b@example.com', kind: 'other' }),
      {
        id: expect.any(String),
        kind: 'notice',
        to: 'a@example.com',
        state: 'sent',
        attempts: 1,
        createdAt: toInstant(world.clock.now() - 1),
        expiresAt: toInstant(world.clock.now() - 1 + 3 * DAY),
        nextAttemptAt: null,
        sentAt: toInstant(world.clock.now() - 1),
        lastError: null,
      },
    ]);
    expect(showMail(world.deps.read, world.deps.keys, 'unknown')).toBeUndefined();
  });

  it('sends a failed or waiting mail again at once, with a fresh row of attempts', async () => {
    const retry = (id: string) => world.deps.write((tx) => retryMail(tx, id, toInstant(world.clock.now())));
    response = () => REJECTED;
    await promise(mailTo('a@example.com'));
    await world.untilIdle();
    response = () => DELAYED;
    expect(await retry(only().id)).toBe(true);
    await later(0);
    expect(only()).toMatchObject({
      state: 'queued',
      attempts: 1,
      nextAttemptAt: toInstant(world.clock.now() + 10 * SECOND),
    });
    response = () => TAKEN;
    expect(await retry(only().id)).toBe(true);
    await later(0);
    expect(only().state).toBe('sent');
    expect(await retry(only().id)).toBe(false);
    expect(await retry('unknown')).toBe(false);
    expect(sent).toHaveLength(3);
  });
});

it('every statement of the outbox goes by an index and sorts nothing', () => {
  const plans: string[] = [];
  const explain = (statement: Query<unknown>) => {
    const { sql, parameters } = 'compile' in statement ? statement.compile() : statement;
    const steps = world.rows<{ detail: string }>(`explain query plan ${sql}`, ...parameters);
    plans.push(...steps.map(({ detail }) => detail));
    return [];
  };
  const run = (statement: Query<unknown>) => explain(statement).length;
  const db: Db = {
    all: explain,
    cached: explain,
    one: () => undefined,
    run,
    insert: run,
    atOneMoment: (act) => act(),
  };
  const now = toInstant(world.clock.now());
  dueMails(db, 0, now, 5);
  deleteMailsWith(db, [{ id: 'secret' }]);
  deleteMailsOf(db, 'user');
  deleteMailsTo(db, 'a@example.com');
  purgeMails(db, world.clock.now());
  listMails(db);
  retryMail(db, 'id', now);
  expect(plans.length).toBeGreaterThan(5);
  for (const plan of plans) expect(plan).not.toMatch(/SCAN outbox$|TEMP B-TREE/);
  plans.length = 0;
  dueMails(db, 0, now, 5);
  expect(plans).toEqual([
    expect.stringContaining('SEARCH outbox USING INDEX outbox_waiting (priority=? AND next_attempt_at<?)'),
  ]);
  plans.length = 0;
  purgeMails(db, world.clock.now());
  // Nothing that is kept for a week, erased already, is looked at again.
  expect(plans.filter((plan) => plan.includes('expires_at'))).toEqual([
    'SEARCH outbox USING INDEX outbox_readable (state=? AND expires_at<?)',
    'SEARCH outbox USING INDEX outbox_readable (state=? AND expires_at<?)',
    'SEARCH outbox USING INDEX outbox_by_expiry (expires_at<?)',
  ]);
});
