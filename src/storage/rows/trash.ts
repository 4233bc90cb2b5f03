import type { Instant } from '../../kernel/instants.ts';

/** A thing that was deleted and can be restored, with all it contained. */
export interface TrashRow {
  id: string;
  workspace_code: number;
  kind: 'task' | 'list' | 'space';
  title: string;
  /** Of a task its list, of a list its space. */
  place_id: string | null;
  deleted_at: Instant;
  /** Null once that account is gone. */
  deleted_by: number | null;
  purge_at: Instant;
  /** Its tasks. */
  item_count: number;
  /** Of what goes in steps, where it is going; otherwise kept. */
  state: 'kept' | 'moving' | 'restoring' | 'purging';
}

/** One thing of an entry of the trash; of a series, its occurrences are rows of their own, many in each. */
export interface TrashedRow {
  entry_code: number;
  workspace_code: number;
  kind: 'space' | 'list' | 'series' | 'occurrences' | 'task' | 'comment';
  /** Null for occurrences. */
  id: string | null;
  /** Of a task that a series made, and of occurrences. */
  series_id: string | null;
  /** UTF-8 bytes of its text, as quotas count them. */
  bytes: number;
  /** JSON. */
  content: string;
}

/** An item of the checklist of a task in the trash: its id is taken. */
export interface TrashItemRow {
  id: string;
  row_code: number;
}

/** Who is mentioned in a comment in the trash. */
export interface TrashMentionRow {
  user_code: number;
  row_code: number;
}

/** What the trash of a workspace holds of each kind; kept by triggers. */
export interface TrashCountRow {
  workspace_code: number;
  kind: TrashedRow['kind'];
  n: number;
  bytes: number;
}
