import { signal } from '@preact/signals';
import type { Outcome } from '../data/api.ts';
import { sentenceOf } from './api.ts';

interface Toast {
  id: number;
  message: string;
  /** Takes back what it tells of. */
  undo: (() => void) | undefined;
}

/** How long a toast stays, unless it has the focus or the pointer. */
export const TOAST_MS = 10_000;

export const toast = signal<Toast | undefined>(undefined);
let lastId = 0;

/** Says what happened, in place of what was said before. */
export function showToast(message: string, undo?: () => void): void {
  lastId += 1;
  toast.value = { id: lastId, message, undo };
}

/** Says what a request has done, or why it has not; returns whether it has. */
export function showOutcome(reply: Outcome, words: string): boolean {
  showToast(reply.kind === 'ok' ? words : sentenceOf(reply));
  return reply.kind === 'ok';
}

/** Takes a toast away, unless another has taken its place. */
export function dismissToast(id: number): void {
  if (toast.value?.id === id) toast.value = undefined;
}
