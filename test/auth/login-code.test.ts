import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/kernel/instants.ts';
import { ada, useAda, world } from '../ada.ts';
import { codeTo, confirmCode, post } from '../sign-in.ts';

useAda();
const issuesOf = (body: { issues: { path: string; message: string }[] }) => body.issues;

describe('sign-in by code', () => {
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  it('mails six digits that sign in once', async () => {
    const code = await codeTo(ada.email);
    expect(code).toMatch(/^\d{6}$/);
    const { status, body } = await confirmCode('ADA@example.com', code);
    expect([status, body.user.id]).toEqual([200, ada.id]);
    expect((await confirmCode(ada.email, code)).status).toBe(401);
  });

  it('is any of a million, those that begin with zeros too', async () => {
    await Promise.all(Array.from({ length: 250 }, () => post('/auth/login/code', { email: ada.email })));
    await world.untilIdle();
    const codes = world.mails.flatMap(({ code }) => code ?? []);
    expect(codes).toHaveLength(250);
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    for (const first of '0123456789') expect(codes.filter((code) => code.startsWith(first))).not.toEqual([]);
  });

  it('works for 10 minutes', async () => {
    const code = await codeTo(ada.email);
    world.clock.advance(10 * MINUTE);
    expect((await confirmCode(ada.email, code)).status).toBe(401);
    const second = await codeTo(ada.email);
    world.clock.advance(10 * MINUTE - 1);
    expect((await confirmCode(ada.email, second)).status).toBe(200);
  });

  it('dies after 5 wrong attempts, however parallel', async () => {
    const code = await codeTo(ada.email);
    for (let i = 0; i < 4; i += 1) expect((await confirmCode(ada.email, wrong(code))).status).toBe(401);
    expect((await confirmCode(ada.email, code)).status).toBe(200);

    const next = await codeTo(ada.email);
    for (let i = 0; i < 5; i += 1) await confirmCode(ada.email, wrong(next));
    expect((await confirmCode(ada.email, next)).status).toBe(401);
  });

  it('is compared with 5 of 50 attempts at once, wherever the right one is among them', async () => {
    for (const place of [0, 49, 4, 5, 25, 49, 5, 4]) {
      const code = await codeTo(ada.email);
      const tries = Array.from({ length: 50 }, (_, i) => (i === place ? code : wrong(code)));
      const attempt = (code: string) => confirmCode(ada.email, code);
      const statuses = (await Promise.all(tries.map(attempt))).map(({ status }) => status);
      const right = place < 5 ? 200 : 401;
      expect([place, statuses]).toEqual([place, tries.map((_, i) => (i === place ? right : 401))]);
      expect((await attempt(code)).status).toBe(401);
    }
  });

  it('only the newest works, and only for its address', async () => {
    const first = await codeTo(ada.email);
    const second = await codeTo(ada.email);
    if (first !== second) expect((await confirmCode(ada.email, first)).status).toBe(401);
    const bob = await world.signUp('bob@example.com');
    expect((await confirmCode(bob.email, second)).status).toBe(401);
    expect((await confirmCode(ada.email, second)).status).toBe(200);
  });

  it('rejects what is no string of digits, and never creates an account', async () => {
    for (const code of [123456, '12345a', '', null]) {
      const { status, body } = await confirmCode(ada.email, code);
      expect([status, issuesOf(body)[0]?.path]).toEqual([400, 'code']);
    }
    expect((await confirmCode('nobody@example.com', '000000')).status).toBe(401);
  });

  it('lets nobody in who guesses the one that no mail carried', async () => {
    const email = 'nobody@example.com';
    await post('/auth/login/code', { email });
    world.run(
      'update login_codes set code_hash = ? where email = ?',
      world.deps.keys.codeHash(`${email}\n123456`),
      email,
    );
    const { status, body } = await confirmCode(email, '123456');
    expect([status, body.error]).toEqual([401, 'UnauthorizedError']);
  });
});
