/** Hears how much of long work is done. */
export type OnDone = (done: number, total: number) => void;

/** Shows how far a named stretch of long work has come. */
export type Progress = (label: string) => OnDone;
