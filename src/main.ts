import { serveUntilSignal } from './cli/serve.ts';
import { loadConfig } from './config.ts';
import { createLog } from './kernel/log.ts';

const { config } = loadConfig(undefined, process.env, process.cwd());
await serveUntilSignal(config, createLog(config.log));
