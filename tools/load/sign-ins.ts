/** Signs in at a steady rate, whether or not the server keeps up. */
import { type Connection, openConnection } from '../bench/connection.ts';
import { bytesOf } from '../bench/load.ts';
import { underOrders } from './apart.ts';
import { atPace } from './pace.ts';

export interface SignIns {
  port: number;
  perSecond: number;
  email: string;
  password: string;
}

export interface SignedIn {
  /** How many responses had which status. */
  statuses: Record<string, number>;
  /** Milliseconds of those whose password was compared, and of those for whom there was no room, ascending. */
  compared: number[];
  rejected: number[];
  mostAtOnce: number;
}

await underOrders(signInsUntil);

async function signInsUntil({ port, perSecond, ...account }: SignIns, stop: AbortSignal): Promise<SignedIn> {
  const request = bytesOf({ method: 'POST', path: '/api/auth/login', body: account });
  const told: SignedIn = { statuses: {}, compared: [], rejected: [], mostAtOnce: 0 };
  const idle: Connection[] = [];
  let underWay = 0;
  const signIn = () => {
    const asked = performance.now();
    underWay += 1;
    told.mostAtOnce = Math.max(told.mostAtOnce, underWay);
    const done = (status: number | 'broken') => {
      underWay -= 1;
      told.statuses[status] = (told.statuses[status] ?? 0) + 1;
      (status === 429 ? told.rejected : told.compared).push(performance.now() - asked);
    };
    const ask = (connection: Connection) =>
      connection.ask(request, (status) => {
        done(status);
        idle.push(connection);
      });
    let free = idle.pop();
    while (free && !free.isOpen) free = idle.pop();
    if (free) ask(free);
    else openConnection(port, { opened: ask, failed: () => done('broken') });
  };
  await atPace(perSecond, stop, signIn);
  for (const times of [told.compared, told.rejected]) times.sort((a, b) => a - b);
  return told;
}
