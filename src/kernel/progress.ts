/** Hears how much of long work is done. */
export type OnDone = (done: number, total: number) => void;

/** Shows the progress of a named part of long work. */
export type Progress = (label: string) => OnDone;
