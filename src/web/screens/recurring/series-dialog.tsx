import { useState } from 'preact/hooks';
import { create, pause, resume, skip, update } from '../../data/intents.ts';
import type { Row, Series, Task } from '../../data/rows.ts';
import { today, weekStart, zone } from '../../shell/clock.ts';
import { useShelf } from '../../shell/store.ts';
import { act } from '../../tasks/act.ts';
import { quoted } from '../../tasks/changes.ts';
import { dueOf } from '../../tasks/dates.ts';
import { seriesDialog } from '../../tasks/series.ts';
import { Select } from '../../tasks/view-dialogs.tsx';
import { dayOfMonth, monthOf, WEEKDAYS, type Weekday, weekdayOf } from '../../text/days.ts';
import { SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAY_NAMES } from '../../text/say-dates.ts';
import { type EndCondition, type Interval, sayRule } from '../../text/say-rules.ts';
import { instantOf } from '../../text/zones.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NextFive } from './next-five.tsx';
import { changeFollowing, orderedAs } from './rules.ts';
import { type Scope, ScopeQuestion, Scopes } from './scopes.tsx';

type Frequency = Interval['frequency'];

const FREQUENCIES: Record<Frequency, string> = { day: 'Day', week: 'Week', month: 'Month', year: 'Year' };
const WEEKS = ['first', 'second', 'third', 'fourth', 'last'] as const;

const close = (): void => {
  seriesDialog.value = undefined;
};

/** The dialog "Repeat": the rule of a series, or what a task becomes. */
export function SeriesDialog() {
  const open = seriesDialog.value;
  const { view } = useShelf().store;
  if (!open) return null;
  const task = open.taskId ? view.signal('task', open.taskId).value : undefined;
  const seriesId = open.seriesId ?? task?.recurrence?.recurringTaskId ?? undefined;
  const series = seriesId ? view.signal('recurringTask', seriesId).value : undefined;
  if (!task && !series) return null;
  if (open.change && task && series)
    return <ScopeQuestion task={task} series={series} change={open.change} />;
  return <Editor key={seriesId ?? task?.id} task={task} series={series} />;
}

function Editor({ task, series }: { task: Task | undefined; series: Series | undefined }) {
  const { store } = useShelf();
  const due = task ? dueOf(task, zone.peek()) : null;
  const from = due?.day ?? today.peek();
  const given = series?.interval;
  const [frequency, setFrequency] = useState<Frequency>(given?.frequency ?? 'week');
  const [every, setEvery] = useState(String(given?.every ?? 1));
  const [time, setTime] = useState(given ? (given.timeOfDay ?? '') : (due?.time ?? ''));
  const [days, setDays] = useState<readonly Weekday[]>(given?.daysOfWeek ?? [weekdayOf(from)]);
  const [weekIndex, setWeekIndex] = useState<string>(given?.weekIndex ?? '');
  const [monthDay, setMonthDay] = useState(String(given?.dayOfMonth ?? dayOfMonth(from)));
  const [month, setMonth] = useState(String(given?.month ?? monthOf(from)));
  const [endType, setEndType] = useState<EndCondition['type']>(series?.endCondition.type ?? 'never');
  const [count, setCount] = useState(
    series?.endCondition.type === 'count' ? String(series.endCondition.count) : '10',
  );
  const [endDate, setEndDate] = useState(
    series?.endCondition.type === 'date' ? series.endCondition.endDate : '',
  );
  const [scope, setScope] = useState<Scope>('all');
  const [problem, setProblem] = useState<string>();
  const isFirst = task?.recurrence?.occurrenceNumber === 1;

  const interval: Interval = {
    frequency,
    every: Math.max(1, Math.floor(Number(every)) || 1),
    timeOfDay: time === '' ? null : time,
    timezone: given?.timezone ?? zone.value,
    ...(frequency === 'week' && {
      daysOfWeek: [...days],
      ...(Number(every) > 1 && { firstDayOfWeek: given?.firstDayOfWeek ?? weekStart.value }),
    }),
    ...((frequency === 'month' || frequency === 'year') &&
      (weekIndex === ''
        ? { dayOfMonth: Number(monthDay) || 1 }
        : {
            weekIndex: weekIndex as NonNullable<Interval['weekIndex']>,
            daysOfWeek: [days[0] ?? weekdayOf(from)],
          })),
    ...(frequency === 'year' && { month: Number(month) }),
  };
  const endCondition: EndCondition =
    endType === 'count'
      ? { type: 'count', count: Math.max(1, Math.floor(Number(count)) || 1) }
      : endType === 'date' && endDate !== ''
        ? { type: 'date', endDate }
        : { type: 'never' };
  const startsAt = series?.startsAt ?? instantOf(from, time || '00:00', zone.value);
  const isRuleChanged =
    series === undefined ||
    JSON.stringify([interval, endCondition]) !==
      JSON.stringify([orderedAs(interval, series.interval), series.endCondition]);

  const save = () => {
    if (frequency === 'week' && days.length === 0) {
      setProblem('Choose at least one day of the week.');
      return;
    }
    close();
    if (series) {
      if (!isRuleChanged) return;
      const changes: Row = { interval, endCondition };
      const words = `${quoted(series.title)}: ${sayRule(interval, endCondition, today.peek(), zone.peek())}`;
      if (task && scope === 'following' && !isFirst) {
        void changeFollowing(series, task, changes, words);
        return;
      }
      act(words, [update('recurringTask', series, changes)]);
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
    act(`${quoted(task.title)}: ${sayRule(interval, endCondition, today.peek(), zone.peek())}`, [
      create('recurringTask', task.workspaceId, store.makeId(), fields),
    ]);
  };
  const skipNext = () => {
    const intent = series && skip(store.view, series);
    close();
    if (series && intent) act(`Skipped ${quoted(series.title)}`, [intent]);
  };
  const workspaceId = series?.workspaceId ?? task?.workspaceId ?? '';
  const title = task?.title ?? series?.title ?? '';
  return (
    <Dialog label="Repeat" onClose={close} onSave={save}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <header class="panel-bar">
          <p class="quiet">
            <span class="cut" dir="auto">
              {title}
            </span>
          </p>
          <button type="button" class="tool" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <p class="rule">{sayRule(interval, endCondition, today.value, zone.value)}</p>
        <div class="rule-fields">
          <Field
            label="Every"
            name="every"
            inputMode="numeric"
            value={every}
            onInput={(event) => setEvery(event.currentTarget.value)}
          />
          <Select
            label="Unit"
            value={frequency}
            options={(Object.keys(FREQUENCIES) as Frequency[]).map((value) => ({
              value,
              title: FREQUENCIES[value],
            }))}
            onChange={(value) => setFrequency(value as Frequency)}
          />
          <Field
            label="Time"
            name="time"
            type="time"
            value={time}
            onInput={(event) => setTime(event.currentTarget.value)}
          />
          {frequency === 'year' && (
            <Select
              label="Month"
              value={month}
              options={SHORT_MONTHS.map((words, index) => ({ value: String(index + 1), title: words }))}
              onChange={setMonth}
            />
          )}
          {(frequency === 'month' || frequency === 'year') && (
            <>
              <Select
                label="On"
                value={weekIndex}
                options={[
                  { value: '', title: 'a day of the month' },
                  ...WEEKS.map((value) => ({ value, title: `the ${value}` })),
                ]}
                onChange={setWeekIndex}
              />
              {weekIndex === '' ? (
                <Field
                  label="Day of the month"
                  name="dayOfMonth"
                  inputMode="numeric"
                  value={monthDay}
                  onInput={(event) => setMonthDay(event.currentTarget.value)}
                />
              ) : (
                <Select
                  label="Weekday"
                  value={days[0] ?? 'monday'}
                  options={WEEKDAYS.map((value, index) => ({ value, title: WEEKDAY_NAMES[index] ?? value }))}
                  onChange={(value) => setDays(WEEKDAYS.filter((day) => day === value))}
                />
              )}
            </>
          )}
        </div>
        {frequency === 'week' && (
          <fieldset class="block weekdays">
            <legend>Days</legend>
            {WEEKDAYS.map((day, index) => (
              <label key={day} class="chip">
                <input
                  type="checkbox"
                  checked={days.includes(day)}
                  onChange={() =>
                    setDays(
                      WEEKDAYS.filter((one) => (one === day ? !days.includes(day) : days.includes(one))),
                    )
                  }
                />
                {SHORT_WEEKDAYS[index]}
              </label>
            ))}
          </fieldset>
        )}
        <div class="rule-fields">
          <Select
            label="Ends"
            value={endType}
            options={[
              { value: 'never', title: 'Never' },
              { value: 'date', title: 'On a day' },
              { value: 'count', title: 'After some times' },
            ]}
            onChange={(value) => setEndType(value as EndCondition['type'])}
          />
          {endType === 'date' && (
            <Field
              label="Last day"
              name="endDate"
              type="date"
              value={endDate}
              onInput={(event) => setEndDate(event.currentTarget.value)}
            />
          )}
          {endType === 'count' && (
            <Field
              label="Times"
              name="count"
              inputMode="numeric"
              value={count}
              onInput={(event) => setCount(event.currentTarget.value)}
            />
          )}
        </div>
        <div class="block" role="alert">
          {problem && <p class="error">{problem}</p>}
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
            <>
              <button
                type="button"
                class="button plain"
                onClick={() => {
                  close();
                  if (series.state === 'paused') act(`Resumed ${quoted(series.title)}`, [resume(series)]);
                  else act(`Paused ${quoted(series.title)}`, [pause(series)]);
                }}
              >
                {series.state === 'paused' ? 'Resume' : 'Pause'}
              </button>
              {series.state === 'active' && (
                <button type="button" class="button plain" onClick={skipNext}>
                  Skip next
                </button>
              )}
            </>
          )}
          <button type="button" class="button push" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button main">
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
