import { WEEKDAYS, type Weekday } from '../../text/days.ts';
import { SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAY_NAMES } from '../../text/say-dates.ts';
import { type EndCondition, WEEK_INDEXES } from '../../text/say-rules.ts';
import { Field } from '../../ui/field.tsx';
import { choicesOf, Select } from '../../ui/select.tsx';
import type { Frequency, RuleDraft } from './rule-draft.ts';

const FREQUENCIES: Record<Frequency, string> = { day: 'Day', week: 'Week', month: 'Month', year: 'Year' };
const ENDS: Record<EndCondition['type'], string> = {
  never: 'Never',
  date: 'On a day',
  count: 'After a number of times',
};

/** As a day of the month, however long that is. */
const LAST_DAY = '-1';

interface Props {
  draft: RuleDraft;
  onChange(draft: RuleDraft): void;
}

/** The fields of a rule, and of when it ends. */
export function RuleFields({ draft, onChange }: Props) {
  const { frequency, weekIndex, days, monthDay, endType } = draft;
  const isLastDay = weekIndex === '' && monthDay === LAST_DAY;
  const change = (changes: Partial<RuleDraft>) => onChange({ ...draft, ...changes });
  const number = (label: string, name: 'every' | 'monthDay' | 'count') => (
    <Field
      label={label}
      name={name}
      inputMode="numeric"
      value={draft[name]}
      onInput={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      <div class="rule-fields">
        {number('Every', 'every')}
        <Select
          label="Unit"
          value={frequency}
          options={choicesOf(FREQUENCIES)}
          onChange={(value) => change({ frequency: value as Frequency })}
        />
        <Field label="Time" name="time" type="time" value={draft.time} onInput={(time) => change({ time })} />
        {frequency === 'year' && (
          <Select
            label="Month"
            value={draft.month}
            options={SHORT_MONTHS.map((words, index) => ({ value: String(index + 1), title: words }))}
            onChange={(month) => change({ month })}
          />
        )}
        {(frequency === 'month' || frequency === 'year') && (
          <>
            <Select
              label="On"
              value={isLastDay ? LAST_DAY : weekIndex}
              options={[
                { value: '', title: 'a day of the month' },
                { value: LAST_DAY, title: 'the last day' },
                ...WEEK_INDEXES.map((value) => ({ value, title: `the ${value}` })),
              ]}
              onChange={(on) => {
                if (on === LAST_DAY) change({ weekIndex: '', monthDay: LAST_DAY });
                else change({ weekIndex: on, monthDay: isLastDay ? '1' : monthDay });
              }}
            />
            {isLastDay ? null : weekIndex === '' ? (
              number('Day of the month', 'monthDay')
            ) : (
              <Select
                label="Weekday"
                value={days.join()}
                options={weekdayChoices(days)}
                onChange={(value) =>
                  change({ days: WEEKDAYS.filter((day) => value.split(',').includes(day)) })
                }
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
                  change({
                    days: WEEKDAYS.filter((one) => (one === day ? !days.includes(day) : days.includes(one))),
                  })
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
          options={choicesOf(ENDS)}
          onChange={(value) => change({ endType: value as EndCondition['type'] })}
        />
        {endType === 'date' && (
          <Field
            label="Last day"
            name="endDate"
            type="date"
            value={draft.endDate}
            onInput={(endDate) => change({ endDate })}
          />
        )}
        {endType === 'count' && number('Times', 'count')}
      </div>
    </>
  );
}

/** Each weekday; and those of a rule that names several. */
function weekdayChoices(days: readonly Weekday[]) {
  const each = WEEKDAYS.map((day, index) => ({ value: day as string, title: WEEKDAY_NAMES[index] ?? day }));
  if (days.length < 2) return each;
  const names = days.map((day) => SHORT_WEEKDAYS[WEEKDAYS.indexOf(day)]);
  return [{ value: days.join(), title: names.join(', ') }, ...each];
}
