import type { StatusType } from '../storage/tables.ts';

/** Every template lets work begin and end. */
const INDISPENSABLE: readonly StatusType[] = ['unstarted', 'completed'];

/** The rules between the statuses of a template; a path begins below `statuses`. */
export function statusIssues(
  statuses: readonly { title: string; type: StatusType }[],
): { path: (string | number)[]; message: string }[] {
  const titles = statuses.map(({ title }) => title);
  return [
    ...titles.flatMap((title, i) =>
      titles.indexOf(title) === i
        ? []
        : [{ path: [i, 'title'], message: 'Another status has this title already' }],
    ),
    ...INDISPENSABLE.filter((type) => statuses.every((status) => status.type !== type)).map((type) => ({
      path: [],
      message: `There must be at least one ${type} status`,
    })),
  ];
}
