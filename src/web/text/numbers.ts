/** Whether a text is the number of a task, as `HOME-12` in any case, where `key` is that of its workspace. */
export const isNumberOf = (text: string, key: string | undefined, { number }: { number: number }): boolean =>
  text.trim().toUpperCase() === `${key}-${number}`;
