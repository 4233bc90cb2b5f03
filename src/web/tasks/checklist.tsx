import type { TargetedClipboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeItem } from '../data/intents.ts';
import type { ChecklistItem, Task } from '../data/rows.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { useUserData } from '../shell/store.ts';
import { showToast } from '../shell/toasts.ts';
import { pastedLines } from '../text/quick-add-edits.ts';
import { quoted } from '../text/quoted.ts';
import { MAX_TITLE, oneLine } from '../text/titles.ts';
import { Tool } from '../ui/button.tsx';
import { useEditInPlace } from '../ui/edit-in-place.ts';
import { Icon, Shape } from '../ui/icon.tsx';
import { submits } from '../ui/submits.ts';
import { actInSight, actQuietly } from './act.ts';
import { actOrAsk } from './changes.ts';

const MAX_ITEMS = 100;

interface Props {
  task: Task;
  level: 2 | 3;
}

/** Small steps of a task. */
export function Checklist({ task, level }: Props) {
  const id = useId();
  const { checklist, workspaceId } = task;
  const may = mayWriteIn(workspaceId);
  const done = checklist.filter(({ isDone }) => isDone).length;
  const Heading = `h${level}` as const;
  if (checklist.length === 0 && !may) return null;
  return (
    <section aria-label="Checklist">
      {checklist.length > 0 && (
        <>
          <Heading class="part-head" id={id}>
            Checklist{' '}
            <span class="count">
              {done} of {checklist.length}
            </span>
            <progress class="push" value={done} max={checklist.length} aria-hidden="true" />
          </Heading>
          <ul class="checks" aria-labelledby={id}>
            {checklist.map((item) => (
              <Item key={item.id} task={task} item={item} may={may} />
            ))}
          </ul>
        </>
      )}
      {may && checklist.length < MAX_ITEMS && <AddItem task={task} />}
    </section>
  );
}

function Item({ task, item, may }: { task: Task; item: ChecklistItem; may: boolean }) {
  const { id, title, isDone } = item;
  const [isEditing, setEditing] = useState(false);
  const toggle = () =>
    actQuietly(`${isDone ? 'Unticked' : 'Ticked'} ${quoted(title)} on ${quoted(task.title)}`, [
      changeItem(task, 'updateItem', id, { isDone: !isDone }),
    ]);
  const remove = () =>
    actOrAsk(
      `Removed ${quoted(title)} from ${quoted(task.title)}`,
      [task],
      [changeItem(task, 'removeItem', id)],
      {
        checklist: task.checklist.filter((one) => one.id !== id),
      },
    );
  return (
    <li>
      {/* biome-ignore lint/a11y/useSemanticElements: the box is drawn, not the browser's */}
      <button
        type="button"
        role="checkbox"
        class={isDone ? 'box done' : 'box'}
        aria-checked={isDone}
        aria-label={`${title}: complete`}
        disabled={!may}
        onClick={toggle}
      >
        <Shape name={isDone ? 'box-done' : 'box'} />
      </button>
      {isEditing && may ? (
        <ItemField task={task} item={item} onEnd={() => setEditing(false)} />
      ) : (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it does the same
        // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same
        <span class="item-title" dir="auto" onClick={() => may && setEditing(true)}>
          {title}
        </span>
      )}
      {may && !isEditing && (
        <span class="item-tools push">
          <Tool icon="pencil" isSmall label={`Edit “${title}”`} onClick={() => setEditing(true)} />
          <Tool icon="close" isSmall label={`Remove “${title}”`} onClick={remove} />
        </span>
      )}
    </li>
  );
}

function ItemField({ task, item, onEnd }: { task: Task; item: ChecklistItem; onEnd(): void }) {
  const [text, setText] = useState(item.title);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  const events = useEditInPlace((saves) => {
    const title = text.trim();
    if (saves && title !== '' && title !== item.title)
      actOrAsk(
        `Renamed ${quoted(item.title)} on ${quoted(task.title)}`,
        [task],
        [changeItem(task, 'updateItem', item.id, { title })],
        { checklist: task.checklist.map((one) => (one.id === item.id ? { ...one, title } : one)) },
        actInSight,
      );
    onEnd();
  });
  return (
    <input
      ref={field}
      class="item-field"
      aria-label="Item"
      dir="auto"
      maxLength={MAX_TITLE}
      value={text}
      onInput={(event) => setText(oneLine(event.currentTarget.value))}
      {...events}
    />
  );
}

/** Adds an item and stays, for the next one; of several pasted lines each is one. */
function AddItem({ task }: { task: Task }) {
  const { store } = useUserData();
  const [text, setText] = useState('');
  const add = (titles: readonly string[]) => {
    setText('');
    const items = titles.map((title) => ({ id: store.makeId(), title, isDone: false }));
    const [only, ...others] = titles;
    const words = others.length > 0 ? `${titles.length} items` : quoted(only ?? '');
    actOrAsk(
      `Added ${words} to ${quoted(task.title)}`,
      [task],
      items.map(({ id, title }) => changeItem(task, 'addItem', id, { title })),
      { checklist: [...task.checklist, ...items] },
      actQuietly,
    );
  };
  const addTyped = () => {
    const title = text.trim();
    if (title !== '') add([title]);
  };
  const onPaste = (event: TargetedClipboardEvent<HTMLInputElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const around = [text.slice(0, selectionStart ?? 0), text.slice(selectionEnd ?? 0)] as const;
    const lines = pastedLines(event.clipboardData?.getData('text/plain') ?? '', ...around)?.many;
    if (!lines) return;
    event.preventDefault();
    if (task.checklist.length + lines.length > MAX_ITEMS)
      showToast(`A checklist has at most ${MAX_ITEMS} items.`);
    else if (lines.some(({ length }) => length > MAX_TITLE))
      showToast(`An item has at most ${MAX_TITLE} characters.`);
    else add(lines);
  };
  return (
    <form class="add-item" onSubmit={submits(addTyped)}>
      <Icon name="plus" />
      <input
        aria-label="Add an item"
        placeholder="Add an item"
        dir="auto"
        maxLength={MAX_TITLE}
        value={text}
        onInput={(event) => setText(oneLine(event.currentTarget.value))}
        onPaste={onPaste}
        onBlur={addTyped}
      />
    </form>
  );
}
