import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Db, prepared, query, statement } from '../../src/db/connection.ts';
import type { Steps, Tx } from '../../src/db/tx.ts';
import { createWriter } from '../../src/db/writer.ts';
import {
  failing,
  firstCommit,
  keys,
  lostEffects,
  put,
  statusesOf,
  storage,
  takeTime,
  turn,
  useWriter,
  write,
  writer,
} from './one-writer.ts';

useWriter();

describe('a batch', () => {
  it('runs its functions in the order they were written, in one commit', async () => {
    const order: number[] = [];
    const writes = Array.from({ length: 50 }, (_, i) =>
      write((tx) => {
        order.push(i);
        return put(tx, `k${i}`);
      }),
    );
    expect(await Promise.all(writes)).toEqual(Array(50).fill(1));
    expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(writer.counts).toEqual({ commits: 1, jobs: 50 });
    expect(keys()).toHaveLength(50);
  });

  it('lets a function see what those before it wrote, and readers only what is committed', async () => {
    const first = write((tx) => put(tx, 'a'));
    const second = write((tx) => {
      const seen = tx.one(query.selectFrom('meta').select('key'))?.key;
      const committed = storage.reading.prepare('select count(*) from meta').pluck().get();
      return { seen, committed };
    });
    await first;
    expect(await second).toEqual({ seen: 'a', committed: 0 });
    expect(keys()).toEqual(['a']);
  });

  describe('ends with what its functions left for the end', () => {
    const done: number[] = [];
    const note = (db: Db, pages: number) => {
      done.push(pages);
      put(db, `pages ${pages}`);
    };
    const leave = (key: string, pages: number) =>
      write((tx) => {
        tx.beforeCommit(note, pages);
        put(tx, key);
      });
    beforeEach(() => {
      done.length = 0;
    });

    it('once for all that are done, in the same commit', async () => {
      expect(await statusesOf([leave('a', 1), leave('b', 2), leave('b', 4)])).toEqual([
        'done',
        'done',
        'SqliteError',
      ]);
      expect(done).toEqual([3]);
      expect(keys()).toEqual(['a', 'b', 'pages 3']);
      expect(writer.counts.commits).toBe(1);
      await write((tx) => put(tx, 'd'));
      expect(done).toEqual([3]);
    });

    it('and is on the disk without it, should it fail', async () => {
      await leave('a', 1);
      await Promise.all([leave('b', 1), write((tx) => put(tx, 'c'))]);
      expect(keys()).toEqual(['a', 'b', 'c', 'pages 1']);
      expect(lostEffects).toEqual([expect.objectContaining({ code: expect.stringContaining('CONSTRAINT') })]);
    });

    it('and with fewer functions when that is much', async () => {
      const most = (db: Db, pages: number) => done.push(pages) && put(db, `after ${done.length}`);
      await Promise.all(
        ['a', 'b', 'c', 'd'].map((key, i) =>
          write((tx) => {
            tx.beforeCommit(most, 200 + i);
            put(tx, key);
          }),
        ),
      );
      expect(done.reduce((sum, pages) => sum + pages)).toBe(806);
      expect(writer.counts).toEqual({ commits: 2, jobs: 4 });
    });

    it('in pieces, between which the event loop turns and readers find what was there before', async () => {
      const seen: unknown[] = [];
      const piece = (db: Db, pages: number) => {
        done.push(pages);
        put(db, `piece ${done.length}`);
        setImmediate(() => seen.push([keys().length, done.length]));
      };
      const first = write((tx) => {
        tx.beforeCommit(piece, 150);
        put(tx, 'a');
      });
      await Promise.all([first, write((tx) => put(tx, 'b')), turn().then(() => write((tx) => put(tx, 'c')))]);
      expect(done).toEqual([64, 64, 22]);
      expect(seen).toEqual([
        [0, 1],
        [0, 2],
        [0, 3],
      ]);
      expect(keys()).toEqual(['a', 'b', 'c', 'piece 1', 'piece 2', 'piece 3']);
    });

    it('in pieces, of which none is on the disk should one fail', async () => {
      const failsLater = (db: Db, pages: number) => {
        put(db, 'half');
        done.push(pages);
        if (done.length > 1) throw new Error('no end');
      };
      await write((tx) => {
        tx.beforeCommit((db, pages) => failsLater(db, pages), 65);
        put(tx, 'a');
      });
      expect(keys()).toEqual(['a']);
      expect(lostEffects).toHaveLength(1);
      await write((tx) => put(tx, 'b'));
      expect(keys()).toEqual(['a', 'b']);
    });
  });

  it('takes in the functions of the next turns as well, for as long as each brings some', async () => {
    const writes = [write((tx) => put(tx, 'a'))];
    await turn();
    writes.push(write((tx) => put(tx, 'b')));
    await turn();
    writes.push(write((tx) => put(tx, 'c')));
    await Promise.all(writes);
    expect(writer.counts).toEqual({ commits: 1, jobs: 3 });
  });

  it('is bounded in functions, and gives the event loop a turn after each', async () => {
    const writes = Array.from({ length: 1_000 }, (_, i) => write((tx) => put(tx, `k${i}`)));
    await turn();
    expect(writer.counts.commits).toBe(1);
    expect(writer.counts.jobs).toBeLessThanOrEqual(256);
    await Promise.all(writes);
    expect(writer.counts.commits).toBeGreaterThanOrEqual(4);
  });

  it('is bounded in milliseconds, and gives the event loop a turn after each', async () => {
    const writes = ['a', 'b', 'c'].map((key) =>
      write((tx) => {
        takeTime();
        put(tx, key);
      }),
    );
    await firstCommit();
    expect(writer.counts).toEqual({ commits: 1, jobs: 1 });
    await Promise.all(writes);
    expect(writer.counts).toEqual({ commits: 3, jobs: 3 });
  });

  it('waits for what the one before it has to wait for, while responses and reads go on', async () => {
    const log = Promise.withResolvers<void>();
    const held = createWriter(
      storage,
      () => {},
      () => log.promise,
    );
    await held.write((tx) => put(tx, 'first'));
    const second = held.write((tx) => put(tx, 'second'));
    const idle = held.idle();
    for (let i = 0; i < 10; i += 1) await turn();
    expect([keys(), held.counts.commits]).toEqual([['first'], 1]);
    log.resolve();
    await Promise.all([second, idle]);
    expect(keys()).toEqual(['first', 'second']);
  });

  it('is judged by how long it waited for the disk, not by its own work', async () => {
    let milliseconds = 0;
    let own = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
    vi.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({
      user: own * 600 - (before?.user ?? 0),
      system: own * 400 - (before?.system ?? 0),
    }));
    const { exec } = storage.writing;
    vi.spyOn(storage.writing, 'exec').mockImplementation((sql) => {
      if (sql === 'commit') {
        milliseconds += 10;
        own += 7;
      }
      return exec.call(storage.writing, sql);
    });
    const waited: number[] = [];
    const onCommit = (ms: number) => void waited.push(ms);
    const judged = createWriter({ ...storage, walSync: { onCommit, stop: async () => {} } }, () => {});
    await judged.write((tx) => put(tx, 'first'));
    await judged.write((tx) => put(tx, 'second'));
    expect(waited.map((ms) => ms.toFixed(6))).toEqual(['3.000000', '3.000000']);
  });

  it('is bounded in milliseconds when it has to be run again too', async () => {
    let runs = 0;
    const bad = write((tx) => {
      put(tx, 'bad');
      return failing('no')();
    });
    const slow = Array.from({ length: 5 }, () =>
      write(() => {
        runs += 1;
        takeTime();
      }),
    );
    const settled = statusesOf([bad, ...slow]);
    await firstCommit();
    expect(runs).toBeLessThanOrEqual(2);
    expect(await settled).toEqual(['no', ...Array(5).fill('done')]);
  });
});

describe('the handle of a transaction', () => {
  it('is dead once a function in steps is over, and lives between its steps', async () => {
    const handles: Tx[] = [];
    await writer.writeInSteps(function* (tx): Steps<void> {
      handles.push(tx);
      put(tx, 'a');
      yield;
      put(tx, 'b');
    });
    expect(() => handles.map((tx) => put(tx, 'late'))).toThrow('after it had returned');
    expect(keys()).toEqual(['a', 'b']);
  });

  it('is dead once the function has returned, failed or been run again', async () => {
    const handles: Tx[] = [];
    const keep = (tx: Tx) => {
      handles.push(tx);
      put(tx, 'a');
    };
    await statusesOf([
      write(keep),
      write((tx) => {
        keep(tx);
        failing('no')();
      }),
    ]);
    expect(handles.length).toBeGreaterThan(2);
    const all = query.selectFrom('meta').selectAll();
    for (const tx of handles) {
      expect(() => put(tx, 'late')).toThrow('after it had returned');
      expect(() => tx.one(all)).toThrow('after it had returned');
      expect(() => tx.all(all)).toThrow('after it had returned');
      expect(() => tx.afterCommit(() => {})).toThrow('after it had returned');
    }
    await write(() => expect(() => handles.map((tx) => put(tx, 'late'))).toThrow('after it had returned'));
    expect(keys()).toEqual(['a']);
  });

  it('is the only one: reading or writing past it inside the function fails it', async () => {
    const outerRead = write((tx) => {
      put(tx, 'a');
      return writer.read.one(query.selectFrom('meta').select('key'))?.key;
    });
    const outerWrite = write((tx) => {
      put(tx, 'b');
      void write(() => undefined);
    });
    expect(await statusesOf([outerRead, outerWrite])).toEqual([
      expect.stringContaining('own handle'),
      expect.stringContaining('own handle'),
    ]);
    expect(keys()).toEqual([]);
  });

  it('cannot be awaited with: a transaction function that returns a promise does not compile', () => {
    const never = () => {
      // @ts-expect-error nothing may be awaited inside a transaction function
      void write(async (tx) => put(tx, 'a'));
      // @ts-expect-error nor may a promise be passed on
      void write(() => Promise.resolve(1));
    };
    expect(never).toBeTypeOf('function');
  });

  it('of the outer connection takes no writes', () => {
    expect(() => put(writer.read, 'a')).toThrow('readonly');
  });
});

describe('afterCommit', () => {
  it('runs once, when the effect is to be read, in the order asked; never for what was not committed', async () => {
    const ran: string[] = [];
    const noted = (key: string) => (tx: Tx) => {
      put(tx, key);
      tx.afterCommit(() => ran.push(`${key} is there: ${keys().includes(key)}`));
      tx.afterCommit(() => ran.push(`${key} again`));
    };
    await statusesOf([
      write(noted('a')),
      write((tx) => {
        noted('b')(tx);
        failing('no')();
      }),
      write(noted('c')),
    ]);
    expect(ran).toEqual(['a is there: true', 'a again', 'c is there: true', 'c again']);
    expect(lostEffects).toEqual([]);
  });

  it('that throws is told of, and takes neither other effects nor responses with it', async () => {
    const ran: string[] = [];
    const writes = ['a', 'b'].map((key) =>
      write((tx) => {
        put(tx, key);
        tx.afterCommit(failing(`no ${key}`));
        tx.afterCommit(() => ran.push(key));
        return key;
      }),
    );
    expect(await Promise.all(writes)).toEqual(['a', 'b']);
    expect(ran).toEqual(['a', 'b']);
    expect(lostEffects).toEqual([new Error('no a'), new Error('no b')]);
  });

  it('may write again, and idle waits for that too', async () => {
    const order: string[] = [];
    void write((tx) => {
      put(tx, 'a');
      tx.afterCommit(() => {
        void write((inner) => {
          put(inner, 'b');
          inner.afterCommit(() => order.push('b is on the disk'));
        });
      });
    });
    await writer.idle();
    order.push('idle');
    expect(order).toEqual(['b is on the disk', 'idle']);
    expect(keys()).toEqual(['a', 'b']);
  });
});

describe('idle', () => {
  it('resolves at once when there is nothing to do, and for all who wait when the last function is done', async () => {
    await writer.idle();
    let done = 0;
    for (let i = 0; i < 600; i++) void write((tx) => put(tx, `k${i}`)).then(() => (done += 1));
    await Promise.all([writer.idle(), writer.idle()]);
    expect(keys()).toHaveLength(600);
    await turn();
    expect(done).toBe(600);
  });

  it('resolves after a failing batch too', async () => {
    storage.writing.close();
    const lost = statusesOf([write(() => 1)]);
    await writer.idle();
    expect(await lost).toHaveLength(1);
  });
});

describe('a statement', () => {
  it('is of one moment with others, whatever another connection commits between them', () => {
    const count = () => keys().length;
    const before = count();
    const seen = writer.read.atOneMoment(() => {
      const first = count();
      storage.writing.exec("insert into meta (key, value) values ('between', '')");
      return [first, count()];
    });
    expect(seen).toEqual([before, before]);
    expect(count()).toBe(before + 1);
    expect(() => writer.read.atOneMoment(() => writer.read.one(statement('select nothing', [])))).toThrow(
      'nothing',
    );
    expect(storage.reading.inTransaction).toBe(false);
  });

  it('compiled once takes its arguments by name, on each call, next to values that never change', async () => {
    const upsert = prepared<{ key: string; value: string }, { key: string; value: string }>((argument) =>
      query
        .insertInto('meta')
        .values({ value: argument('value'), key: argument('key') })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ value: sql<string>`${argument('value')} || ${'!'}` }),
        )
        .returningAll(),
    );
    expect(await write((tx) => tx.one(upsert({ key: 'a', value: '1' })))).toEqual({ key: 'a', value: '1' });
    expect(await write((tx) => tx.one(upsert({ value: '2', key: 'a' })))).toEqual({ key: 'a', value: '2!' });
  });

  it('stays usable past the number of statements kept, and after the schema has changed', async () => {
    await write((tx) => put(tx, 'a'));
    const row = query.selectFrom('meta').selectAll();
    expect(writer.read.one(row)).toEqual({ key: 'a', value: 'x' });
    for (let i = 0; i < 1_100; i++) writer.read.one(sql`select ${sql.lit(i)}`.compile(query));
    storage.writing.exec('alter table meta add column more text');
    expect(writer.read.one(row)).toEqual({ key: 'a', value: 'x', more: null });
  });
});
