import { useState } from 'preact/hooks';
import { editInstances } from '../../data/intents.ts';
import type { Series, Task } from '../../data/rows.ts';
import { isOpen, useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { act } from '../../tasks/act.ts';
import { closeSeries as close, type SeriesChange } from '../../tasks/series.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { submits } from '../../ui/submits.ts';

export type Scope = 'this' | 'following' | 'all';

const TITLES: Record<Scope, string> = { this: 'This task', following: 'This and following', all: 'All' };

interface ScopesProps {
  scope: Scope;
  /** What each one that can be chosen would change. */
  words: Partial<Record<Scope, string>>;
  onChange(scope: Scope): void;
}

/** How far a change of an instance goes, and what it changes then. */
export const Scopes = ({ scope, words, onChange }: ScopesProps) => (
  <fieldset class="block">
    <legend>Apply to</legend>
    {(Object.keys(TITLES) as Scope[])
      .filter((value) => words[value] !== undefined)
      .map((value) => (
        <label key={value} class="choice">
          <input
            type="radio"
            name="scope"
            checked={scope === value}
            onChange={() => onChange(value)}
            aria-describedby={`scope-${value}`}
            aria-label={TITLES[value]}
          />
          <span>
            {TITLES[value]}
            <span class="quiet" id={`scope-${value}`}>
              {words[value]}
            </span>
          </span>
        </label>
      ))}
  </fieldset>
);

interface QuestionProps {
  task: Task | undefined;
  series: Series | undefined;
  change: SeriesChange;
}

/**
 * Asks whether what was changed of an instance counts for others of its series. Where that is deleted meanwhile, the
 * change is of the task alone; where that is gone too, what was typed stays to be copied.
 */
export function ScopeQuestion({ task, series, change: { words, intents, updates } }: QuestionProps) {
  const { store } = useUserData();
  const [scope, setScope] = useState<Scope>('this');
  const from = task?.recurrence?.occurrenceAt ?? '';
  const isFirst = task?.recurrence?.occurrenceNumber === 1;
  const open = [...store.view.all('task')].filter(
    (one) => series && one.recurrence?.recurringTaskId === series.id && isOpen(store, one),
  );
  const later = open.filter(({ recurrence }) => recurrence && recurrence.occurrenceAt >= from);
  const save = () => {
    close();
    if (!task) return;
    if (!series || scope === 'this') return act(words, intents);
    // There is no way back from it.
    void store.acts.do(words, [editInstances(store.view, series, task, scope, updates)]);
    showToast(words);
  };
  const typed = [updates.title, updates.description].find((text) => typeof text === 'string');
  return (
    <Dialog label="Repeat" class="small" onClose={close}>
      <form noValidate onSubmit={submits(save)}>
        <div class="block">
          <h2>{series && task ? 'Change the series too?' : task ? 'Change this task?' : 'Not saved'}</h2>
          <p class="quiet" dir="auto">
            {words}
          </p>
          {!(series && task) && (
            <p class="prose" role="alert">
              {task
                ? 'The series was deleted meanwhile. This changes the task alone.'
                : `The task was deleted meanwhile${series ? '' : ', with its series'}.`}
            </p>
          )}
          {!task && typed !== undefined && (
            <p class="prose" dir="auto">
              {String(typed)}
            </p>
          )}
        </div>
        {series && task && (
          <Scopes
            scope={scope}
            onChange={setScope}
            words={{
              this: 'The series stays as it is.',
              ...(!isFirst && {
                following: `A new series begins here, with ${countOf(later.length)}. Earlier tasks stay.`,
              }),
              all: `The series changes, with ${countOf(open.length)}. What was set by hand stays.`,
            }}
          />
        )}
        <footer class="actions line">
          {task ? (
            <DialogButtons onCancel={close} />
          ) : (
            <Button type="submit" class="main push">
              Close
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

const countOf = (count: number): string => (count === 1 ? '1 open task' : `${count} open tasks`);
