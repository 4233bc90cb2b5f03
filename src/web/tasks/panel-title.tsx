import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { MAX_TITLE, oneLine } from '../text/titles.ts';
import { useEditInPlace } from '../ui/edit-in-place.ts';
import { nameWindow } from '../ui/screen-heading.tsx';
import { rename } from './changes.ts';
import { renaming } from './pickers.ts';
import { TaskBox } from './task-box.tsx';

/** The title with its box; a field while it is renamed. */
export function TitleLine({ task, isPage }: { task: Task; isPage: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isEditing = renaming.value?.id === task.id && renaming.value.where === 'panel';
  const may = mayWriteIn(task.workspaceId);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    if (!isPage) return;
    nameWindow('cover', task.title);
    return () => nameWindow('cover', '');
  }, [isPage, task.title]);
  const Heading = isPage ? 'h1' : 'h2';
  const edit = () => {
    if (may && getSelection()?.isCollapsed !== false) renaming.value = { id: task.id, where: 'panel' };
  };
  return (
    <div class="task-title">
      <TaskBox task={task} />
      {isEditing && may ? (
        <TitleField task={task} isPage={isPage} />
      ) : (
        <Heading ref={heading} id="task-title" tabIndex={-1} dir="auto" onClick={edit}>
          {task.title}
        </Heading>
      )}
    </div>
  );
}

function TitleField({ task, isPage }: { task: Task; isPage: boolean }) {
  const [text, setText] = useState(task.title);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  useLayoutEffect(() => grow(field.current), [text]);
  const events = useEditInPlace((saves, isByKey) => {
    if (saves) rename(task, text);
    renaming.value = undefined;
    if (isByKey) queueMicrotask(() => document.getElementById('task-title')?.focus({ preventScroll: true }));
  });
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <>
      <Heading id="task-title" class="hidden">
        {task.title}
      </Heading>
      <textarea
        ref={field}
        class="title-field"
        aria-label="Title"
        dir="auto"
        rows={1}
        maxLength={MAX_TITLE}
        value={text}
        onInput={(event) => setText(oneLine(event.currentTarget.value))}
        {...events}
      />
    </>
  );
}

/** A text field as high as its text. */
export function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
