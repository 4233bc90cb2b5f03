/** Exports an account, one time after the other, and throws the document away. */
import { get } from 'node:http';
import { underOrders } from './apart.ts';

export interface Exports {
  port: number;
  token: string;
}

export interface Exported {
  documents: number;
  bytes: number;
}

await underOrders(exportUntil);

async function exportUntil({ port, token }: Exports, stop: AbortSignal): Promise<Exported> {
  const told: Exported = { documents: 0, bytes: 0 };
  const headers = { Authorization: `Bearer ${token}` };
  while (!stop.aborted) {
    await new Promise<void>((resolve, reject) => {
      const failed = (reason: Error) => (stop.aborted ? resolve() : reject(reason));
      get({ port, path: '/api/account/export', headers, signal: stop }, (answer) => {
        if (answer.statusCode !== 200) failed(new Error(`An export was answered ${answer.statusCode}`));
        answer.on('data', (chunk: Buffer) => {
          told.bytes += chunk.length;
        });
        answer.on('end', resolve).on('error', failed);
      }).on('error', failed);
    });
    told.documents += 1;
  }
  return told;
}
