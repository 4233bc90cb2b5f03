import type { Api } from './api.ts';

/** What lies in the trash, under the id of the thing itself. */
export interface TrashEntry {
  id: string;
  kind: 'task' | 'list' | 'space';
  title: string;
  deletedAt: string;
  deletedBy: string | null;
  purgeAt: string;
  itemCount: number;
}

export interface Notification {
  id: string;
  type: string;
  title: string;
  body: string;
  data: Record<string, string>;
  readAt: string | null;
  createdAt: string;
}

/** A coming occurrence of a series; `taskId` where it is a task already. */
export interface Occurrence {
  recurringTaskId: string;
  title: string;
  listId: string;
  at: string;
  local: string;
  number: number;
  note: string | null;
  taskId: string | null;
}

export interface Found<Item> {
  items: Item[];
  total: number;
}

async function read<Body>(api: Api, path: string): Promise<Body | null> {
  const outcome = await api.request('GET', path);
  return outcome.kind === 'ok' ? (outcome.body as Body) : null;
}

/** Reads a page of the trash, newest first; null where the server gives none. */
export const readTrash = (api: Api, workspaceId: string, page = 1): Promise<Found<TrashEntry> | null> =>
  read(api, `workspaces/${workspaceId}/trash?page=${page}&limit=100`);

/** Reads a page of the notifications, newest first; null where the server gives none. */
export const readNotifications = (api: Api, page = 1): Promise<Found<Notification> | null> =>
  read(api, `me/notifications?page=${page}&limit=50`);

/** Reads the coming occurrences of all series, `from` inclusive and `to` exclusive, at most 62 days. */
export const readOccurrences = (
  api: Api,
  workspaceId: string,
  from: string,
  to: string,
): Promise<{ items: Occurrence[]; hasMore: boolean } | null> => {
  const query = new URLSearchParams({ from, to });
  return read(api, `workspaces/${workspaceId}/occurrences?${query}`);
};

const isDone = async (api: Api, method: string, path: string): Promise<boolean> =>
  (await api.request(method, path)).kind === 'ok';

/** Marks a notification as read; `note('unread')` follows by the stream. */
export const markRead = (api: Api, id: string): Promise<boolean> =>
  isDone(api, 'POST', `me/notifications/${id}/read`);

export const markAllRead = (api: Api): Promise<boolean> => isDone(api, 'POST', 'me/notifications/read-all');

export const deleteNotification = (api: Api, id: string): Promise<boolean> =>
  isDone(api, 'DELETE', `me/notifications/${id}`);

/** Deletes for good: one entry of the trash, or all of it. Nothing brings it back. */
export const purgeTrash = (api: Api, workspaceId: string, id?: string): Promise<boolean> =>
  isDone(api, 'DELETE', `workspaces/${workspaceId}/trash${id === undefined ? '' : `/${id}`}`);
