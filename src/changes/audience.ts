/** Someone who listens. */
interface Listener {
  readonly who: { readonly userId: string };
  workspaceIds: ReadonlySet<string>;
}

/** Everyone who listens, to be found by user and by workspace. */
interface Audience<L extends Listener> extends Iterable<L> {
  readonly size: number;
  has(listener: L): boolean;
  add(listener: L): void;
  /** False where it was not there any more. */
  delete(listener: L): boolean;
  /** Has it listen to these workspaces from now on. */
  move(listener: L, workspaceIds: ReadonlySet<string>): void;
  ofUser(userId: string): readonly L[];
  ofWorkspace(workspaceId: string): readonly L[];
  workspaceIds(): Iterable<string>;
}

export function createAudience<L extends Listener>(): Audience<L> {
  const all = new Set<L>();
  const byUser = new Map<string, Set<L>>();
  const byWorkspace = new Map<string, Set<L>>();

  const enter = (listener: L) => {
    for (const id of listener.workspaceIds) put(byWorkspace, id, listener);
  };
  const leave = (listener: L) => {
    for (const id of listener.workspaceIds) take(byWorkspace, id, listener);
  };

  return {
    [Symbol.iterator]: () => [...all].values(),
    get size() {
      return all.size;
    },
    has: (listener) => all.has(listener),
    add: (listener) => {
      all.add(listener);
      put(byUser, listener.who.userId, listener);
      enter(listener);
    },
    delete: (listener) => {
      if (!all.delete(listener)) return false;
      take(byUser, listener.who.userId, listener);
      leave(listener);
      return true;
    },
    move: (listener, workspaceIds) => {
      leave(listener);
      listener.workspaceIds = workspaceIds;
      enter(listener);
    },
    ofUser: (userId) => [...(byUser.get(userId) ?? [])],
    ofWorkspace: (workspaceId) => [...(byWorkspace.get(workspaceId) ?? [])],
    workspaceIds: () => byWorkspace.keys(),
  };
}

function put<L>(groups: Map<string, Set<L>>, key: string, listener: L): void {
  const group = groups.get(key);
  if (group) group.add(listener);
  else groups.set(key, new Set([listener]));
}

function take<L>(groups: Map<string, Set<L>>, key: string, listener: L): void {
  const group = groups.get(key);
  group?.delete(listener);
  if (group?.size === 0) groups.delete(key);
}
