/** UTF-8 bytes of what someone wrote. */
export function bytesOfText(...texts: (string | null | undefined)[]): number {
  let sum = 0;
  for (const text of texts) if (text) sum += Buffer.byteLength(text);
  return sum;
}
