import { crc32, deflateSync } from 'node:zlib';

const GREEN = [0x1c, 0x6b, 0x4f] as const;
/** The shapes of `pages/icon.ts`, on its square of 32. */
const SIDE = 32;
const RADIUS = 9;
const TICK = [
  [9, 16.8],
  [13.8, 21.5],
  [23.2, 11],
] as const;
const STROKE = 3.4;

/**
 * The icon as a PNG, for devices that take no SVG. One that is `masked` fills its square and keeps the tick within the
 * circle that every mask shows.
 */
export function pngIcon(pixels: number, { isMasked = false } = {}): Buffer {
  const scale = pixels / SIDE;
  const rows = Buffer.alloc(pixels * (1 + pixels * 4));
  for (let y = 0; y < pixels; y++) {
    for (let x = 0; x < pixels; x++) {
      const at = [(x + 0.5) / scale, (y + 0.5) / scale] as const;
      const ground = isMasked ? 1 : covered(-insideSquare(...at), scale);
      const tick = covered(isMasked ? fromTick(shrunk(at[0]), shrunk(at[1])) * 0.85 : fromTick(...at), scale);
      const offset = y * (1 + pixels * 4) + 1 + x * 4;
      for (const [index, colour] of GREEN.entries()) rows[offset + index] = colour + (255 - colour) * tick;
      rows[offset + 3] = 255 * ground;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** How much of a pixel lies within a shape whose edge is so far away. */
const covered = (distance: number, scale: number): number => Math.min(1, Math.max(0, 0.5 - distance * scale));

const shrunk = (value: number): number => SIDE / 2 + (value - SIDE / 2) / 0.85;

function insideSquare(x: number, y: number): number {
  const [dx, dy] = [x, y].map((value) => Math.abs(value - SIDE / 2) - (SIDE / 2 - RADIUS)) as [
    number,
    number,
  ];
  return RADIUS - Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) - Math.min(Math.max(dx, dy), 0);
}

function fromTick(x: number, y: number): number {
  const distances = TICK.slice(1).map(([bx, by], index) => {
    const [ax, ay] = TICK[index] ?? TICK[0];
    const [vx, vy] = [bx - ax, by - ay];
    const part = Math.min(1, Math.max(0, ((x - ax) * vx + (y - ay) * vy) / (vx * vx + vy * vy)));
    return Math.hypot(x - ax - vx * part, y - ay - vy * part);
  });
  return Math.min(...distances) - STROKE / 2;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
