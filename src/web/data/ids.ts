/** Makes a UUIDv7. `crypto.randomUUID` is missing on plain http. */
export function makeId(now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let rest = now;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Ids that always belong to an id and never are it, so that two devices make the same. */
export function derivedIds(id: string, count: number): string[] {
  const other = (Number.parseInt(id.slice(-3, -2), 16) ^ 8).toString(16);
  return Array.from({ length: count }, (_, index) => `${id.slice(0, -3)}${other}e${index + 1}`);
}
