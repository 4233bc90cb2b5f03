import { useEffect, useRef, useState } from 'preact/hooks';
import { editText } from '../data/intents.ts';
import type { Task } from '../data/rows.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { userData } from '../shell/store.ts';
import { hrefAt, linkParts } from '../text/links.ts';
import { quoted } from '../text/quoted.ts';
import { isComposing } from '../ui/composing.ts';
import { Link } from '../ui/prose.tsx';
import { actInSight } from './act.ts';
import { actOrAsk } from './changes.ts';

/**
 * The long text of a task: always a field, in which links can be followed. The words lie below the field, whose own ink
 * is transparent.
 */
export function Description({ task }: { task: Task }) {
  const may = mayWriteIn(task.workspaceId);
  const [draft, setDraft] = useState<string>();
  // What the edit started from: held against what is there when it is sent.
  const from = useRef<string | null>(null);
  const text = draft ?? task.description ?? '';
  const save = (): void => {
    if (draft === undefined || !userData.peek()) return;
    setDraft(undefined);
    // Where the field goes, it is left too.
    saveLast.current = () => {};
    const wanted = draft.trim() === '' ? null : draft;
    if (wanted !== from.current)
      actOrAsk(
        `Changed the description of ${quoted(task.title)}`,
        [task],
        [editText(task, wanted, from.current)],
        { description: wanted },
        actInSight,
      );
  };
  const saveLast = useRef(save);
  saveLast.current = save;
  useEffect(() => {
    // A phone may end a page that is hidden.
    const saveHidden = () => document.visibilityState === 'hidden' && saveLast.current();
    document.addEventListener('visibilitychange', saveHidden);
    return () => {
      document.removeEventListener('visibilitychange', saveHidden);
      saveLast.current();
    };
  }, []);
  return (
    <div class="description">
      <textarea
        aria-label="Description"
        placeholder={may ? 'Add a description' : 'No description'}
        disabled={!may}
        dir="auto"
        maxLength={50_000}
        value={text}
        onInput={(event) => {
          if (draft === undefined) from.current = task.description;
          setDraft(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          const isEnd = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
          if (isComposing(event) || !isEnd) return;
          event.preventDefault();
          event.stopPropagation();
          document.getElementById('task-title')?.focus({ preventScroll: true });
        }}
        onClick={({ ctrlKey, metaKey, currentTarget }) => {
          const href = ctrlKey || metaKey ? hrefAt(text, currentTarget.selectionStart) : undefined;
          if (href !== undefined) open(href, '_blank', 'noopener,noreferrer');
        }}
        onBlur={() => saveLast.current()}
      />
      <div class="description-words" dir="auto">
        {linkParts(text).map(({ text: part, href }, index) =>
          href === undefined ? (
            <span key={index} aria-hidden="true">
              {part}
            </span>
          ) : (
            <Link key={index} href={href} text={part} />
          ),
        )}
        {'\u200b'}
      </div>
    </div>
  );
}
