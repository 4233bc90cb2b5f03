import type { Status, Task } from '../data/rows.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { useUserData } from '../shell/store.ts';
import { Shape } from '../ui/icon.tsx';
import type { ShapeName } from '../ui/icons.ts';
import { toggleDone } from './changes.ts';

const CLASSES = { unstarted: '', started: 'started', completed: 'done', canceled: 'canceled' } as const;

/** The shape of a status: empty, filled from below, the logo, a cross. */
function shapeOf(status: Status | undefined, statuses: readonly Status[] = []): ShapeName {
  if (status?.type === 'completed') return 'box-done';
  if (status?.type === 'canceled') return 'box-canceled';
  if (status?.type !== 'started') return 'box';
  const started = statuses.filter(({ type }) => type === 'started').sort((a, b) => a.position - b.position);
  return started.length > 1 && started.at(-1)?.id === status.id ? 'box-review' : 'box-started';
}

const classOf = (status: Status | undefined): string => (status ? CLASSES[status.type] : '');

/** The box that is ticked; the logo's square, empty until done. */
export function TaskBox({ task, tabIndex }: { task: Task; tabIndex?: number }) {
  const { view } = useUserData().store;
  const list = view.signal('list', task.listId).value;
  const status = view.status(task.statusId);
  const isDone = status?.type === 'completed';
  const shape = shapeOf(status, list?.statuses);
  // The shapes of most rows are drawn by the style sheet: each of the document costs several rows' text to lay out.
  const isDrawn = shape === 'box' || shape === 'box-started' || shape === 'box-review';
  return (
    // biome-ignore lint/a11y/useSemanticElements: the box is drawn, not the browser's
    <button
      type="button"
      role="checkbox"
      class={`box ${classOf(status)}${isDrawn ? ` drawn ${shape}` : ''}`}
      aria-checked={isDone}
      aria-label={`${task.title}: complete`}
      aria-disabled={mayWriteIn(task.workspaceId) ? undefined : 'true'}
      disabled={!mayWriteIn(task.workspaceId)}
      tabIndex={tabIndex}
      onClick={() => toggleDone([task])}
    >
      {!isDrawn && <Shape name={shape} />}
    </button>
  );
}

/** A status as a small picture beside its name. */
export const StatusMark = ({ status, among }: { status: Status | undefined; among?: readonly Status[] }) => (
  <Shape name={shapeOf(status, among)} class={`status ${classOf(status)}`} />
);
