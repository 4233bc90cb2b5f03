import { useRef, useState } from 'preact/hooks';
import { create, update } from '../../data/intents.ts';
import type { Row, Series, Task } from '../../data/rows.ts';
import { sentenceOf } from '../../shell/api.ts';
import { now, today, weekStart, zone } from '../../shell/clock.ts';
import { isOpen, useUserData } from '../../shell/store.ts';
import { showOutcome } from '../../shell/toasts.ts';
import { act } from '../../tasks/act.ts';
import { dueOf } from '../../tasks/dates.ts';
import { closeSeries as close, seriesDialog } from '../../tasks/series.ts';
import { quoted } from '../../text/quoted.ts';
import { sayRule } from '../../text/say-rules.ts';
import { instantOf } from '../../text/zones.ts';
import { Button, Tool } from '../../ui/button.tsx';
import { Cut } from '../../ui/cut.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { submits } from '../../ui/submits.ts';
import { NextFive } from './next-five.tsx';
import { draftOf, problemOf, ruleOf } from './rule-draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { changeFollowing, maySkip, ordered, pauseOrResume, skipNext } from './rules.ts';
import { type Scope, ScopeQuestion, Scopes } from './scopes.tsx';

/** The dialog "Repeat": the rule of a series, or what a task becomes. */
export function SeriesDialog() {
  const open = seriesDialog.value;
  const { view } = useUserData().store;
  if (!open) return null;
  const task = open.taskId ? view.signal('task', open.taskId).value : undefined;
  const seriesId = open.seriesId ?? task?.recurrence?.recurringTaskId ?? undefined;
  const series = seriesId ? view.signal('recurringTask', seriesId).value : undefined;
  if (open.change) return <ScopeQuestion task={task} series={series} change={open.change} />;
  return <Editor key={open.taskId ?? open.seriesId} task={task} series={series} />;
}

function Editor({ task, series }: { task: Task | undefined; series: Series | undefined }) {
  const { store } = useUserData();
  // Either may be deleted elsewhere: what was chosen here stays.
  const [opened] = useState({ task, series, at: new Date(now.peek()).toISOString() });
  const isGone = opened.series !== undefined && series === undefined;
  const due = task ? dueOf(task, zone.peek()) : null;
  const from = due?.day ?? today.peek();
  const [draft, setDraft] = useState(() => draftOf(series, from, due?.time ?? null));
  const [scope, setScope] = useState<Scope>('all');
  const isDone = !series && task !== undefined && !isOpen(store, task);
  const done = isDone
    ? 'A closed task cannot become one that repeats. Open it again first.'
    : !task && !series
      ? `This ${opened.series ? 'series' : 'task'} was deleted meanwhile.`
      : undefined;
  const [problem, setProblem] = useState<string>();
  const said =
    done ?? problem ?? (isGone && 'The series was deleted meanwhile. Save makes a new one of this task.');
  const isFirst = task?.recurrence?.occurrenceNumber === 1;

  const { interval, endCondition } = ruleOf(draft, {
    from,
    timezone: series?.interval.timezone ?? zone.value,
    firstDayOfWeek: series?.interval.firstDayOfWeek ?? weekStart.value,
  });
  // What had no day is the first: no date that has passed today counts.
  const begins = due ? instantOf(due.day, draft.time || '00:00', zone.value) : opened.at;
  const startsAt = series?.startsAt ?? begins;
  const isRuleChanged =
    series === undefined ||
    JSON.stringify([interval, endCondition]) !==
      JSON.stringify([ordered(series.interval), series.endCondition]);

  const isSending = useRef(false);
  /** The dialog stays until that is done: only the server can do it. */
  const saveFollowing = async (whole: Series, first: Task, changes: Row, words: string) => {
    if (isSending.current) return;
    isSending.current = true;
    const reply = await changeFollowing(whole, first, changes);
    isSending.current = false;
    if (showOutcome(reply, words)) close();
    else if (reply.kind !== 'ok') setProblem(sentenceOf(reply));
  };
  const save = () => {
    const wrong = done ?? problemOf(draft);
    setProblem(wrong);
    if (wrong) return;
    const named = quoted((series ?? task)?.title ?? '');
    const words = `${named}: ${sayRule(interval, endCondition, today.peek(), zone.peek())}`;
    if (series && task && isRuleChanged && scope === 'following' && !isFirst) {
      void saveFollowing(series, task, { interval, endCondition }, words);
      return;
    }
    close();
    if (series) {
      if (isRuleChanged) act(words, [update('recurringTask', series, { interval, endCondition })]);
      return;
    }
    if (!task) return;
    const fields: Row = {
      taskId: task.id,
      title: task.title,
      listId: task.listId,
      interval,
      endCondition,
      startsAt,
    };
    act(words, [create('recurringTask', task.workspaceId, store.makeId(), fields)]);
  };
  const { workspaceId = '', title = '' } = task ?? series ?? opened.task ?? opened.series ?? {};
  return (
    <Dialog label="Repeat" onClose={close}>
      <form noValidate onSubmit={submits(save)}>
        <header class="panel-bar">
          <p class="quiet">
            <Cut>{title}</Cut>
          </p>
          <Tool icon="close" label="Close" onClick={close} />
        </header>
        <p class="rule">{sayRule(interval, endCondition, today.value, zone.value)}</p>
        <RuleFields draft={draft} onChange={setDraft} />
        <div class="block" role="alert">
          {said && <p class="error">{said}</p>}
        </div>
        <NextFive
          workspaceId={workspaceId}
          interval={interval}
          endCondition={endCondition}
          startsAt={startsAt}
        />
        {series && task && isRuleChanged && !isFirst && (
          <Scopes
            scope={scope}
            onChange={setScope}
            words={{
              following: 'A new series begins here. Earlier tasks stay as they are.',
              all: 'The series goes by the new rule from now on. What was done stays.',
            }}
          />
        )}
        <footer class="actions line">
          {series && series.state !== 'ended' && (
            <div class="line">
              <Button
                class="plain"
                onClick={() => {
                  close();
                  pauseOrResume(series);
                }}
              >
                {series.state === 'paused' ? 'Resume' : 'Pause'}
              </Button>
              {maySkip(series) && (
                <Button
                  class="plain"
                  onClick={() => {
                    close();
                    skipNext(series);
                  }}
                >
                  Skip next
                </Button>
              )}
            </div>
          )}
          <DialogButtons onCancel={close} />
        </footer>
      </form>
    </Dialog>
  );
}
