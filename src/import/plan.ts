import type { Issue } from '../kernel/errors.ts';
import type { Importer, ReadDocument } from './document.ts';
import type { Entry, Storing } from './rows.ts';

/** What the thread that reads is asked. */
export type Asked =
  | { chunk: Uint8Array }
  | { importer: Importer }
  | { storing: Storing }
  | Record<string, never>;

export type Told = { plan: Plan } | { piece: Entry[] | undefined };

/** What a document would make, or why it cannot. */
export type Plan =
  | { broken: string }
  | { issues: Issue[] }
  | (Omit<ReadDocument, 'workspaces'> & { workspaces: PlannedWorkspace[] });

export interface PlannedWorkspace {
  id: string;
  title: string;
  key: string;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  sizes: Record<'lists' | 'spaces' | 'status_templates' | 'series', number>;
}
