import { isOpen, useUserData } from '../../shell/store.ts';
import { startDrag } from '../../tasks/dragging.ts';
import { openRowMenu } from '../../tasks/pickers.ts';
import { TaskBox } from '../../tasks/task-box.tsx';
import {
  Due,
  Glyphs,
  hasGlyphs,
  Labels,
  PriorityMark,
  RowTitle,
  useRowState,
} from '../../tasks/task-row.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Tool } from '../../ui/button.tsx';

interface Props {
  id: string;
  /** What is dragged would come before it. */
  isBelow: boolean;
  mayDrag: boolean;
}

/** A task on the board. */
export function Card({ id, isBelow, mayDrag }: Props) {
  const { store } = useUserData();
  const { view } = store;
  const task = view.signal('task', id).value;
  const state = useRowState(id);
  if (!task) return null;
  const { assigneeId, workspaceId, priority } = task;
  const person = assigneeId ? view.signal('member', `${workspaceId}/${assigneeId}`).value : undefined;
  const labels = task.labelIds.flatMap((labelId) => view.signal('label', labelId).value ?? []);
  const isDated = task.dueDate !== null || task.dueDay !== null;
  const avatar = person && <Avatar id={person.userId} name={person.name} />;
  // Without anything else to say, a person needs no line of their own.
  const hasMeta = priority !== 'none' || isDated || hasGlyphs(task) || labels.length > 0;
  return (
    <li
      class={`card${state.isSelected ? ' selected' : ''}${isBelow ? ' below' : ''}${isOpen(store, task) ? '' : ' closed'}`}
      data-task={id}
      draggable={mayDrag}
      onDragStart={startDrag}
    >
      <div class="card-title">
        <TaskBox task={task} tabIndex={state.focus.tabIndex} />
        <RowTitle task={task} state={state} />
        {!hasMeta && avatar}
        <Tool
          class="card-more"
          icon="more"
          label="More"
          aria-haspopup="menu"
          tabIndex={-1}
          onClick={(event) => openRowMenu([id], event.currentTarget)}
        />
      </div>
      <div class="card-meta">
        {priority !== 'none' && <PriorityMark task={task} />}
        <Due task={task} />
        <Glyphs task={task} />
        <Labels labels={labels} most={5} />
        {hasMeta && avatar}
      </div>
    </li>
  );
}
