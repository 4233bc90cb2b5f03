import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useUserData } from '../../shell/store.ts';

/** The fields of a form: what was typed and is not yet saved, else what is there. */
export interface Draft<F> {
  values: F;
  /** Whether something is typed that is not saved. */
  isChanged: boolean;
  set(field: keyof F): (value: string) => void;
  /** Goes back to what is there. */
  drop(): void;
  /** What was sent is there now, or `next` in its place, until the rows say more; what was typed meanwhile stays. */
  saved(next?: F): void;
}

/**
 * Keeps what is typed with the drafts of this tab under `where`: a form that is opened again has it. `present` is what is
 * there. Not for passwords and codes.
 */
export function useDraft<F extends Record<string, string>>(where: string, present: F): Draft<F> {
  const { drafts } = useUserData();
  const typed = useRef<Partial<F>>(undefined);
  typed.current ??= JSON.parse(drafts.get(where) || '{}') as Partial<F>;
  const [sent, setSent] = useState<F>();
  const [, redraw] = useState({});
  const base = sent ?? present;
  const keep = (change: Partial<F>, than: F = base) => {
    const all = Object.entries({ ...typed.current, ...change });
    const left = all.filter(([field, value]) => value !== than[field]);
    typed.current = Object.fromEntries(left) as Partial<F>;
    keepDraft(drafts, where, left.length > 0 ? typed.current : undefined);
    redraw({});
  };
  useLayoutEffect(() => {
    setSent(undefined);
    // What has become so is typed no more.
    keep({}, present);
  }, [JSON.stringify(present)]);
  const values = { ...base, ...typed.current };
  return {
    values,
    isChanged: Object.keys(values).some((field) => values[field] !== base[field]),
    set: (field) => (value) => keep({ [field]: value } as Partial<F>),
    drop: () => keep(base),
    saved: (next = values) => {
      setSent(next);
      keep({}, values);
    },
  };
}

/** Keeps what a form holds for its next opening; undefined: nothing that is not saved. */
export function keepDraft(drafts: Map<string, string>, where: string, value: object | undefined): void {
  if (value === undefined) drafts.delete(where);
  else drafts.set(where, JSON.stringify(value));
}
