/** What an examination found, and what to do about it where something is wrong. */
export type Finding =
  | { status: 'ok'; message: string }
  | { status: 'warn' | 'fail'; message: string; advice: string };

export const ok = (message: string): Finding => ({ status: 'ok', message });

export const warn = (message: string, advice: string): Finding => ({ status: 'warn', message, advice });

export const fail = (message: string, advice: string): Finding => ({ status: 'fail', message, advice });

/** The failures among these; where there is none, that all is well. */
export function failuresOr(okMessage: string, checks: (Finding | false | undefined)[]): Finding[] {
  const failures = checks.filter((check) => check !== undefined && check !== false);
  return failures.length > 0 ? failures : [ok(okMessage)];
}
