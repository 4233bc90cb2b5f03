/** A thread of `searches.ts`: it finds tasks by a connection of its own, which only reads. */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { setAddonFolder } from '../kernel/native-addon.ts';
import { createMatchFinder } from '../storage/task-query/search-matches.ts';
import type { SearchRequest, SearchResponse, ThreadData } from './searches.ts';

const { path, dataFolder }: ThreadData = workerData;
setAddonFolder(dataFolder);
const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
connection.pragma('trusted_schema = off');
connection.pragma('temp_store = memory');
connection.pragma('cache_size = -16000');
const findMatches = createMatchFinder(connection);

parentPort?.on('message', (message: SearchRequest | 'stop') => {
  if (message !== 'stop') {
    void respond(message).then((response) => parentPort?.postMessage(response));
    return;
  }
  connection.close();
  parentPort?.close();
});

parentPort?.postMessage('ready');

async function respond({ id, search }: SearchRequest): Promise<SearchResponse> {
  try {
    return { id, found: await findMatches(search) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, failure: { message, code } };
  }
}
