import { today } from '../shell/clock.ts';
import { me } from '../shell/session.ts';
import { useUserData } from '../shell/store.ts';
import type { Day } from '../text/days.ts';
import type { Chip, QuickTask } from '../text/quick-add.ts';
import { sayDay } from '../text/say-dates.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Cut } from '../ui/cut.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { NextDates } from './next-dates.tsx';
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
function ChipMark({ kind, words, task, workspaceId }: ChipProps) {
  const { labels } = useUserData();
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

interface ChipsProps extends Pick<ChipProps, 'task' | 'workspaceId'> {
  chips: readonly Chip[];
  /** The day that comes from the view. */
  givenDay: Day | null;
  /** The list, the status of a column, the person and label of a filter that it would get. */
  givenPlace: string;
  onText(chip: Chip): void;
}

/** What was understood of the input; each chip can be made text again. */
export const UnderstoodChips = ({ chips, givenDay, givenPlace, task, workspaceId, onText }: ChipsProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a group of buttons
  <div class="chips" role="group" aria-label="Understood">
    {chips.map((chip) => {
      const words = chip.label.slice(chip.kind.length + 2);
      return (
        <button
          key={`${chip.label} ${chip.spans[0]?.start}`}
          type="button"
          class="chip"
          aria-label={`${chip.label}; make it text again`}
          onClick={() => onText(chip)}
        >
          <ChipMark kind={chip.kind} words={words} task={task} workspaceId={workspaceId} />
          <Cut>{words}</Cut>
        </button>
      );
    })}
    {givenDay !== null && (
      <span class="line quiet">
        <Icon name="upcoming" small /> {sayDay(givenDay, today.value)}
      </span>
    )}
    {givenPlace !== '' && (
      <span class="line quiet">
        <Icon name="list" small />
        <Cut>{givenPlace}</Cut>
      </span>
    )}
    <NextDates task={task} />
  </div>
);

interface ChoiceProps {
  sigil: '#' | '@' | '*' | '/';
  id: string;
  title: string;
}

/** What stands before a name that completes a word. */
export function ChoiceMark({ sigil, id, title }: ChoiceProps) {
  const { labels, store } = useUserData();
  if (id === 'new') return <Icon name="plus" />;
  if (sigil === '*')
    return <span class="label" style={{ '--hue': labels.rows.find((label) => label.id === id)?.color }} />;
  if (sigil === '@')
    return <Avatar id={id} name={me.value?.id === id ? me.value.name : title} isDecoration />;
  if (sigil === '/') return <StatusMark status={store.view.status(id)} />;
  return <Icon name="list" />;
}
