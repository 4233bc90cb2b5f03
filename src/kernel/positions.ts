/** The gap between neighbours: room to put something in between by halving it. */
export const POSITION_STEP = 1024;

/** Where a new thing goes: after the last one. */
export const positionAfter = (last: number | null | undefined): number => (last ?? 0) + POSITION_STEP;
