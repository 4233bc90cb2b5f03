import type { CommonOptions } from './open-data.ts';
import type { Shell } from './shell.ts';

export const printJson = (shell: Shell, value: unknown): void =>
  shell.print(`${JSON.stringify(value, null, 2)}\n`);

/** Prints what a command did: as JSON where that is asked for, else in words. */
export const printResult = (shell: Shell, options: CommonOptions, result: unknown, words: string): void =>
  options.json ? printJson(shell, result) : shell.print(words);

/** Rows under their headings, in columns as wide as their widest cell. */
export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows].map((cells) => cells.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const padded = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return lines.map((cells) => `${cells.map(padded).join('  ').trimEnd()}\n`).join('');
}

/** Names and mail servers' replies come from outside: none of their escape sequences may reach the terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
