import { useShelf } from '../shell/store.ts';
import type { Chip, QuickTask } from '../text/quick-add.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { StatusMark } from './task-box.tsx';

const ICONS: Record<Chip['kind'], IconName> = {
  Due: 'upcoming',
  Starts: 'start',
  List: 'hash',
  Assignee: 'person',
  Priority: 'flag',
  Label: 'label',
  Status: 'status',
  Repeats: 'repeat',
};

interface ChipProps {
  kind: Chip['kind'];
  /** What the chip says. */
  words: string;
  task: QuickTask;
  workspaceId: string;
}

/** What stands before the words of a chip: the thing's own picture where it has one. */
export function ChipMark({ kind, words, task, workspaceId }: ChipProps) {
  const { labels } = useShelf();
  if (kind === 'Priority' && task.priority && task.priority !== 'none')
    return <Shape name={`prio-${task.priority}`} class={`prio ${task.priority}`} />;
  if (kind === 'Assignee' && task.assigneeId)
    return <Avatar id={task.assigneeId} name={words} isDecoration />;
  if (kind === 'Label') {
    const label = labels.rows.find((one) => one.workspaceId === workspaceId && one.title === words);
    if (label) return <span class="label" style={{ '--hue': label.color }} />;
  }
  return <Icon name={ICONS[kind]} />;
}

interface ChoiceProps {
  sigil: '#' | '@' | '*' | '/';
  id: string;
  title: string;
}

/** What stands before a name that completes a word. */
export function ChoiceMark({ sigil, id, title }: ChoiceProps) {
  const { labels, store } = useShelf();
  if (id === 'new') return <Icon name="plus" />;
  if (sigil === '*')
    return <span class="label" style={{ '--hue': labels.rows.find((label) => label.id === id)?.color }} />;
  if (sigil === '@') return <Avatar id={id} name={title} isDecoration />;
  if (sigil === '/') return <StatusMark status={store.view.status(id)} />;
  return <Icon name="list" />;
}
