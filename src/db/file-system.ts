import { existsSync, statfsSync } from 'node:fs';

/** What Linux calls them: linux/magic.h, and statfs(2). */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
]);

/**
 * The name of the network file system that a file lies on, where the write-ahead log cannot be relied on
 * (https://sqlite.org/wal.html); undefined for others, for no file, and where the platform does not number them.
 */
export const networkFileSystem = (file: string): string | undefined =>
  process.platform === 'linux' && existsSync(file)
    ? NETWORK_FILE_SYSTEMS.get(statfsSync(file).type)
    : undefined;
