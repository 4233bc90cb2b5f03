import { useLayoutEffect } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { addressOf } from '../shell/addresses.ts';
import { now, zone } from '../shell/clock.ts';
import { keyShortcuts } from '../shell/commands.ts';
import { isPhone } from '../shell/device.ts';
import { mayWriteIn, workspaces } from '../shell/frame-view.ts';
import { hrefOf, match } from '../shell/navigation.ts';
import { useUserData } from '../shell/store.ts';
import { sayWhen } from '../text/say-dates.ts';
import { Tool } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { MenuButton, MoreButton } from '../ui/menu.tsx';
import { toggleDone } from './changes.ts';
import { Checklist } from './checklist.tsx';
import { Comments } from './comments.tsx';
import { neighbourOf, openTaskId } from './current.ts';
import { Description } from './description.tsx';
import { useLookUp } from './look-up.ts';
import { MissingTask } from './missing-task.tsx';
import { Fields } from './panel-fields.tsx';
import { TitleLine } from './panel-title.tsx';
import { openDateDialog, openPicker } from './pickers.ts';
import { rowMenuItems } from './row-menu.ts';
import { SeriesBox } from './series-box.tsx';
import { closePanel, showNeighbour, useTaskCommands } from './task-commands.ts';

interface Props {
  id: string;
  /** A screen of its own, and not beside one. */
  isAlone?: boolean;
}

/** A task with all it has: beside a screen, or by itself. */
export function Panel({ id, isAlone = false }: Props) {
  const { store } = useUserData();
  const task = store.view.signal('task', id).value;
  const { w } = match.value?.params ?? {};
  const places = w === undefined ? workspaces.value.map((one) => one.id) : [w];
  const missing = useLookUp(places, task ? undefined : `tasks/${id}`);
  // Before anything is painted: keys act on it at once.
  useLayoutEffect(() => {
    openTaskId.value = id;
    return () => {
      openTaskId.value = undefined;
    };
  }, [id]);
  if (!task) return missing ? <MissingTask id={id} missing={missing} isAlone={isAlone} /> : null;
  return <TaskSheet key={id} task={task} isPage={isAlone || isPhone.value} isAlone={isAlone} />;
}

interface SheetProps {
  task: Task;
  isPage: boolean;
  isAlone: boolean;
}

function TaskSheet({ task, isPage, isAlone }: SheetProps) {
  useTaskCommands();
  const content = (
    <>
      <PanelBar task={task} isAlone={isAlone} />
      <div class="scroll">
        <TitleLine task={task} isPage={isPage} />
        <Description task={task} />
        <Fields task={task} />
        <SeriesBox task={task} />
        <Checklist task={task} level={isPage ? 2 : 3} />
        <Facts task={task} />
        <Comments task={task} level={isPage ? 2 : 3} />
      </div>
    </>
  );
  if (isPage) {
    return (
      <main class="panel sheet page" aria-labelledby="task-title">
        {content}
        {isPhone.value && mayWriteIn(task.workspaceId) && <PhoneTools task={task} />}
      </main>
    );
  }
  return (
    <aside class="panel sheet" aria-labelledby="task-title">
      {content}
    </aside>
  );
}

function PanelBar({ task, isAlone }: Pick<SheetProps, 'task' | 'isAlone'>) {
  const { view } = useUserData().store;
  const list = view.signal('list', task.listId).value;
  const key = view.signal('workspace', task.workspaceId).value?.key;
  const previous = neighbourOf(task.id, -1);
  const next = neighbourOf(task.id, 1);
  return (
    <header class="panel-bar">
      {isPhone.value && (
        <Tool
          icon="left"
          label={`Back to ${isAlone ? (list?.title ?? 'the list') : screenTitle()}`}
          onClick={closePanel}
        />
      )}
      <p class="quiet">
        <a
          class="plain-link cut"
          dir="auto"
          href={hrefOf(addressOf('list', { w: task.workspaceId, listId: task.listId }))}
        >
          {list?.title}
        </a>
        {key && task.number > 0 && (
          <>
            <span aria-hidden="true">·</span>
            <span class="n">
              {key}-{task.number}
            </span>
          </>
        )}
      </p>
      <Tool
        icon="up"
        label="Previous task"
        aria-keyshortcuts={keyShortcuts('k')}
        aria-disabled={previous === undefined ? 'true' : undefined}
        onClick={() => previous !== undefined && showNeighbour(previous)}
      />
      <Tool
        icon="down"
        label="Next task"
        aria-keyshortcuts={keyShortcuts('j')}
        aria-disabled={next === undefined ? 'true' : undefined}
        onClick={() => next !== undefined && showNeighbour(next)}
      />
      <MoreButton items={() => rowMenuItems([task], fieldElement('status'))} />
      {!isPhone.value && <Tool icon="close" label="Close" aria-keyshortcuts="Escape" onClick={closePanel} />}
    </header>
  );
}

/** What the screen behind is called. */
const screenTitle = (): string => document.querySelector('main:not(.panel) h1')?.textContent ?? 'the list';

const fieldElement = (kind: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.panel [data-field="${kind}"]`);

/** When it was made and changed. */
function Facts({ task }: { task: Task }) {
  const { view } = useUserData().store;
  const creator = task.creatorId
    ? view.signal('member', `${task.workspaceId}/${task.creatorId}`).value?.name
    : undefined;
  const say = (at: string) => sayWhen(at, zone.value, now.value);
  return (
    <p class="quiet facts">
      Created <time dateTime={task.createdAt}>{say(task.createdAt)}</time>
      {creator && (
        <>
          {' '}
          by <span dir="auto">{creator}</span>
        </>
      )}
      , changed <time dateTime={task.updatedAt}>{say(task.updatedAt)}</time>
    </p>
  );
}

/** In place of the bar, at the thumb. */
function PhoneTools({ task }: { task: Task }) {
  const ids = [task.id];
  return (
    <div class="bar" role="toolbar" aria-label="Task">
      <button type="button" onClick={() => openDateDialog('due', ids)}>
        <Icon name="upcoming" />
        Due
      </button>
      <button type="button" onClick={() => openPicker('assignee', ids, fieldElement('assignee'))}>
        <Icon name="person" />
        Assign
      </button>
      <button type="button" class="new" aria-label="Complete" onClick={() => toggleDone([task])}>
        <span>
          <Icon name="check" />
        </span>
      </button>
      <button
        type="button"
        onClick={() => document.querySelector<HTMLElement>('.panel [aria-label="Comment"]')?.focus()}
      >
        <Icon name="comment" />
        Comment
      </button>
      <MenuButton items={() => rowMenuItems([task], fieldElement('status'))}>
        <Icon name="more" />
        More
      </MenuButton>
    </div>
  );
}
