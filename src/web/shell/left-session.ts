import { call } from './api.ts';
import { leaveSession, leftUser } from './left-user.ts';

/** Ends on the server what was left without the network; whether nothing is left that its cookie could open. */
export async function endLeftSession(): Promise<boolean> {
  const userId = leftUser();
  if (userId === null) return true;
  const reply = await call('POST', '/auth/logout', undefined, userId);
  const isOver = reply.kind === 'ok' || (reply.kind === 'error' && reply.status === 401);
  if (isOver) leaveSession(null);
  return isOver;
}
