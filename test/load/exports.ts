/** Exports an account, one time after the other, and throws the document away. */
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
  while (!stop.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}/api/account/export`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (response.status !== 200 || !response.body)
      throw new Error(`An export was answered ${response.status}`);
    for await (const chunk of response.body) {
      told.bytes += chunk.length;
      if (stop.aborted) break;
    }
    told.documents += 1;
  }
  return told;
}
