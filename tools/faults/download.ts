import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { workerData } from 'node:worker_threads';

/** Runs in a thread of its own, so that measurements beside it are not held up by the reading. */
const { url, token, file } = workerData as { url: string; token: string; file: string };
const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
if (response.status !== 200 || !response.body) throw new Error(`The export got ${response.status}`);
await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
