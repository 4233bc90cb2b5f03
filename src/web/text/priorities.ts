export type Priority = 'none' | 'low' | 'medium' | 'high' | 'urgent';

export const PRIORITY_NAMES: Record<Priority, string> = {
  none: 'No priority',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  urgent: 'Urgent',
};
