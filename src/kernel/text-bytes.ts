/** UTF-8 bytes of what someone wrote. */
export const bytesOfText = (...texts: (string | null | undefined)[]): number =>
  texts.reduce((sum, text) => sum + (text ? Buffer.byteLength(text) : 0), 0);
