/** What an examination found, and what to do about it where something is amiss. */
export type Finding =
  | { status: 'ok'; message: string }
  | { status: 'warn' | 'fail'; message: string; advice: string };

export const ok = (message: string): Finding => ({ status: 'ok', message });

export const warn = (message: string, advice: string): Finding => ({ status: 'warn', message, advice });

export const fail = (message: string, advice: string): Finding => ({ status: 'fail', message, advice });

/** What of these is amiss; where nothing is, that all is well. */
export function failuresOr(okMessage: string, checks: (Finding | false | undefined)[]): Finding[] {
  const amiss = checks.filter((check) => check !== undefined && check !== false);
  return amiss.length > 0 ? amiss : [ok(okMessage)];
}
