import type { StatusType } from './tables.ts';

/** Whether a task of such a status is still to be done. */
export const isOpen = (type: StatusType): boolean => type === 'unstarted' || type === 'started';
