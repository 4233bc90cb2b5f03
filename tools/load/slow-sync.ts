import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'slow-sync.c');

/** How a command is started whose every sync takes longer. */
interface SlowSync {
  /** Words before the command. */
  through: string[];
  settings: Record<string, string>;
  /** How many syncs it made so far; undefined where that cannot be told. */
  count(): number | undefined;
  how: string;
}

/** Delays each sync by a library made in `folder`, else by strace, which itself slows all that the command does. */
export function slowSync(folder: string, milliseconds: number): SlowSync {
  const microseconds = Math.round(milliseconds * 1_000);
  const library = join(folder, 'slow-sync.so');
  const compiled = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl']);
  if (compiled.status === 0) {
    const counts = join(folder, 'syncs');
    writeFileSync(counts, Buffer.alloc(16));
    return {
      through: [],
      settings: {
        LD_PRELOAD: library,
        SLOW_SYNC_MICROSECONDS: String(microseconds),
        SLOW_SYNC_COUNTS: counts,
      },
      count: () => {
        const bytes = readFileSync(counts);
        return Number(bytes.readBigUInt64LE(0) + bytes.readBigUInt64LE(8));
      },
      how: 'by a library',
    };
  }
  if (microseconds === 0) return { through: [], settings: {}, count: () => undefined, how: 'as it is' };
  if (spawnSync('strace', ['-V']).status !== 0) {
    throw new Error('A delay needs Linux and a C compiler (cc), or else strace. -- --delay 0 needs neither');
  }
  const inject = `inject=fsync,fdatasync:delay_exit=${microseconds}`;
  return {
    through: ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', inject],
    settings: {},
    count: () => undefined,
    how: 'by strace, which slows the server itself: a C compiler (cc) would make truer figures',
  };
}
