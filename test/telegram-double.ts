import { createHash, createHmac } from 'node:crypto';
import type { World } from './world.ts';

export const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

/** The fields of the login widget as Telegram signs them, at the world's time; undefined leaves one out. */
export function widget(world: World, fields: Record<string, unknown> = {}, botToken = BOT_TOKEN) {
  const all = {
    id: 279058397,
    first_name: 'Ada',
    username: 'ada_l',
    auth_date: Math.floor(world.clock.now() / 1_000),
    ...fields,
  };
  return { ...all, hash: signature(all, botToken) };
}

export const signature = (fields: Record<string, unknown>, botToken = BOT_TOKEN): string =>
  createHmac('sha256', createHash('sha256').update(botToken).digest())
    .update(
      Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('\n'),
    )
    .digest('hex');
