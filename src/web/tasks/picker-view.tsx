import { create, updateTask } from '../data/intents.ts';
import type { Task } from '../data/rows.ts';
import { type UserData, useUserData } from '../shell/store.ts';
import { PRIORITIES, PRIORITY_NAMES } from '../text/priorities.ts';
import { quoted } from '../text/quoted.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import { Listbox, type Option } from '../ui/listbox.tsx';
import { Menu } from '../ui/menu.tsx';
import { act } from './act.ts';
import {
  moveTo,
  onlyInstance,
  saying,
  setAssignee,
  setPriority,
  setStatus,
  statusesIn,
  tasksOf,
  toggleLabel,
} from './changes.ts';
import { type OpenPicker, picker } from './pickers.ts';
import { rowMenuItems } from './row-menu.ts';
import { StatusMark } from './task-box.tsx';

const close = (): void => {
  picker.value = undefined;
};

/** The choice or menu that is open for tasks. */
export function PickerView() {
  const open = picker.value;
  if (!open) return null;
  const held = useUserData();
  for (const list of [held.labels, held.lists]) list.revision.value;
  const tasks = open.ids.flatMap((id) => held.store.view.signal('task', id).value ?? []);
  if (tasks.length === 0) return null;
  const { kind, anchor, at } = open;
  if (kind === 'menu') {
    const items = rowMenuItems(tasks, anchor);
    return <Menu label="More" anchor={anchor} at={at} items={items} onClose={close} />;
  }
  return <Choice key={kind} open={open} tasks={tasks} held={held} />;
}

interface ChoiceProps {
  open: OpenPicker;
  tasks: readonly Task[];
  held: UserData;
}

function Choice({ open, tasks, held }: ChoiceProps) {
  const { label, hint, options, isMultiple, asks = false, choose, offer } = choices(open, tasks, held);
  return (
    <Listbox
      label={label}
      options={options}
      anchor={open.anchor}
      at={open.at}
      hasFilter={isMultiple || options.length > 9}
      isMultiple={isMultiple}
      staysOpen={isMultiple && !asks}
      hint={hint}
      offer={offer}
      onChoose={choose}
      onClose={close}
    />
  );
}

interface Choices {
  label: string;
  hint?: string;
  options: Option[];
  isMultiple: boolean;
  /** Each choice asks something, so that it cannot stay open. */
  asks?: boolean;
  choose(id: string, typed: string): void;
  offer?: ((typed: string) => Option | null) | undefined;
}

/** What all tasks have in common; undefined where they differ. */
function common<Value>(tasks: readonly Task[], read: (task: Task) => Value): Value | undefined {
  const [first, ...rest] = tasks.map(read);
  return rest.every((value) => value === first) ? first : undefined;
}

function choices({ kind }: OpenPicker, tasks: readonly Task[], held: UserData): Choices {
  const { view } = held.store;
  const [first] = tasks;
  const workspaceId = first?.workspaceId ?? '';
  const ids = tasks.map(({ id }) => id);
  const again = () => tasksOf(ids);
  switch (kind) {
    case 'priority': {
      const present = common(tasks, ({ priority }) => priority);
      const options = PRIORITIES.map((priority) => ({
        id: priority,
        title: PRIORITY_NAMES[priority],
        isChosen: priority === present,
        mark:
          priority === 'none' ? (
            <span class="prio" />
          ) : (
            <Shape name={`prio-${priority}`} class={`prio ${priority}`} />
          ),
      }));
      const choose = (id: string) => setPriority(again(), PRIORITIES.find((one) => one === id) ?? 'none');
      return { label: 'Priority', options, isMultiple: false, choose };
    }
    case 'assignee': {
      const present = common(tasks, ({ assigneeId }) => assigneeId);
      const people = peopleIn(held, workspaceId);
      const options: Option[] = [
        { id: '', title: 'No one', isChosen: present === null, mark: <span class="avatar" /> },
        ...people.map(({ userId, name }) => ({
          id: userId,
          title: name,
          note: userId === held.userId ? 'me' : undefined,
          isChosen: userId === present,
          mark: <Avatar id={userId} name={name} isDecoration />,
        })),
      ];
      const choose = (id: string) =>
        setAssignee(again(), id === '' ? null : id, people.find(({ userId }) => userId === id)?.name ?? '');
      return { label: 'Assignee', options, isMultiple: false, choose };
    }
    case 'labels': {
      const labels = held.labels.rows.filter((label) => label.workspaceId === workspaceId);
      const options = labels.map((label) => ({
        id: label.id,
        title: label.title,
        isChosen: tasks.every(({ labelIds }) => labelIds.includes(label.id)),
        mark: <span class="label" style={{ '--hue': label.color }} />,
      }));
      const choose = (id: string, typed: string) => {
        const label = labels.find((one) => one.id === id);
        if (label) toggleLabel(again(), label);
        else makeLabel(held, again(), typed);
      };
      const offer = (typed: string): Option | null =>
        labels.some(({ title }) => title.toLowerCase() === typed.toLowerCase())
          ? null
          : { id: 'new', title: `New label “${typed}”`, mark: <Icon name="plus" /> };
      const hint = 'Type to make the first label.';
      const asks = onlyInstance(tasks) !== undefined;
      return { label: 'Labels', hint, options, isMultiple: true, asks, choose, offer };
    }
    case 'list':
    case 'move': {
      const present = common(tasks, ({ listId }) => listId);
      const lists = listOptions(held, workspaceId, present);
      const statuses = kind === 'move' && present !== undefined ? statusOptions(tasks, present) : [];
      const choose = (id: string) => {
        const list = view.row('list', id);
        const status = view.status(id);
        if (list) moveTo(again(), list);
        else if (status) setStatus(again(), status);
      };
      return {
        label: kind === 'move' ? 'Move to…' : 'List',
        options: [...statuses, ...lists],
        isMultiple: false,
        choose,
      };
    }
    default: {
      const choose = (id: string) => {
        const status = view.status(id);
        if (status) setStatus(again(), status);
      };
      const options = statusOptions(tasks, first?.listId ?? '');
      return { label: 'Status', options, isMultiple: false, choose };
    }
  }
}

function statusOptions(tasks: readonly Task[], listId: string): Option[] {
  const statuses = statusesIn(listId);
  const present = common(tasks, ({ statusId }) => statusId);
  return statuses.map((status) => ({
    id: status.id,
    title: status.title,
    isChosen: status.id === present,
    mark: <StatusMark status={status} among={statuses} />,
  }));
}

/** Those a task may be given to: members who may write; oneself first. */
const peopleIn = ({ membersIn, userId }: UserData, workspaceId: string) =>
  membersIn(workspaceId)
    .rows.filter(({ role }) => role !== 'viewer')
    .sort((a, b) => Number(b.userId === userId) - Number(a.userId === userId));

const listOptions = (
  { spaces, lists }: UserData,
  workspaceId: string,
  present: string | undefined,
): Option[] =>
  spaces.rows
    .filter((space) => space.workspaceId === workspaceId)
    .flatMap((space) =>
      lists.rows
        .filter(({ spaceId }) => spaceId === space.id)
        .map(({ id, title }) => ({
          id,
          title,
          group: space.title,
          isChosen: id === present,
          mark: <Icon name="list" />,
        })),
    );

/** Makes a label and gives it to tasks, as one act. */
function makeLabel({ store }: UserData, tasks: readonly Task[], title: string): void {
  const [first] = tasks;
  if (!first || title === '') return;
  const id = store.makeId();
  const made = create('label', first.workspaceId, id, { title });
  if (onlyInstance(tasks)) {
    act(`Made the label ${quoted(title)}`, [made]);
    const label = store.view.row('label', id);
    if (label) toggleLabel(tasks, label);
    return;
  }
  act(`${saying(tasks)}: ${quoted(title)}`, [
    made,
    ...tasks.map((task) => updateTask(task, { addLabelIds: [id] })),
  ]);
}
