import type { Issue } from '../kernel/errors.ts';
import type { Importer, ReadDocument } from './document.ts';
import type { Entry, Storing } from './rows.ts';

/** What a reader is asked. */
export type ReadRequest =
  | { chunk: Uint8Array }
  | { importer: Importer }
  | { storing: Storing }
  | Record<string, never>;

/** The plan of a document, or the next piece of it where there is one. */
export interface ReadResponse {
  plan?: Plan;
  piece?: Entry[] | undefined;
}

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
