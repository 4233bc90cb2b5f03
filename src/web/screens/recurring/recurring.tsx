import { remove } from '../../data/intents.ts';
import { compareTexts } from '../../data/live-list.ts';
import type { Series } from '../../data/rows.ts';
import { now, today, zone } from '../../shell/clock.ts';
import { isPhone } from '../../shell/device.ts';
import { isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import { useItemKeys } from '../../shell/item-keys.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useRows } from '../../shell/store.ts';
import { act } from '../../tasks/act.ts';
import { openSeriesItself } from '../../tasks/series.ts';
import { quoted } from '../../text/quoted.ts';
import { sayDay, sayWhen, withinSentence } from '../../text/say-dates.ts';
import { sayRule } from '../../text/say-rules.ts';
import { dayIn } from '../../text/zones.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Back } from '../../ui/back.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type MenuItem, MoreButton } from '../../ui/menu.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';
import { maySkip, pauseOrResume, skipNext } from './rules.ts';

/** The series of a workspace in words. */
export function Recurring({ params }: ScreenProps) {
  const w = params.w ?? '';
  useItemKeys();
  const [ask, question] = useAsk();
  const { rows } = useRows('recurringTask', ({ workspaceId }) => workspaceId === w, byNext, [w]);
  const askToRemove = (series: Series) =>
    ask({
      title: 'Delete series',
      yes: 'Delete',
      words: `${quoted(series.title)} makes no more tasks. What was done stays.`,
      run: () => act(`Deleted the series ${quoted(series.title)}`, [remove('recurringTask', series)]),
    });
  return (
    <main class="sheet">
      <header class="head">
        <Back />
        <ScreenHeading title="Recurring" />
      </header>
      {rows.length === 0 && !isFirstLoad.value ? (
        <Nothing icon="repeat">
          Nothing repeats yet.
          {mayWriteIn(w) && ' In quick add, write “every Monday 9:00”; on a task, '}
          {mayWriteIn(w) && (isPhone.value ? 'choose Repeat…' : ['press ', <kbd key="r">R</kbd>, '.'])}
        </Nothing>
      ) : (
        <div class="scroll" aria-busy={isFirstLoad.value}>
          <ul class="entries">
            {rows.map((series) => (
              <Entry key={series.id} series={series} onRemove={() => askToRemove(series)} />
            ))}
          </ul>
        </div>
      )}
      {question}
    </main>
  );
}

const byNext = (a: Series, b: Series): number =>
  compareTexts(a.nextRunAt ?? '~', b.nextRunAt ?? '~') || a.title.localeCompare(b.title);

/** What has no time of day is on a day of the zone of its rule. */
const sayNext = (at: string, { timeOfDay, timezone }: Series['interval']): string =>
  timeOfDay === null
    ? withinSentence(sayDay(dayIn(at, timezone), today.value))
    : sayWhen(at, zone.value, now.value);

function Entry({ series, onRemove }: { series: Series; onRemove(): void }) {
  const { title, state, nextRunAt, interval, endCondition } = series;
  const may = mayWriteIn(series.workspaceId);
  const next =
    state === 'paused'
      ? 'Paused'
      : state === 'ended'
        ? 'Ended'
        : nextRunAt
          ? `Next ${sayNext(nextRunAt, interval)}`
          : '';
  const acts: MenuItem[] = [
    { title: 'Skip next', icon: 'right', isDisabled: !maySkip(series), run: () => skipNext(series) },
    {
      title: state === 'paused' ? 'Resume' : 'Pause',
      icon: state === 'paused' ? 'resume' : 'pause',
      isDisabled: state === 'ended',
      run: () => pauseOrResume(series),
    },
  ];
  return (
    <li aria-label={title}>
      <Icon name="repeat" />
      <div>
        <p class="cut" dir="auto">
          {title}
        </p>
        <p class="quiet">
          {sayRule(interval, endCondition, today.value, zone.value)}
          {next && <span class="hidden">. </span>}
        </p>
      </div>
      {next && <p class="quiet next">{next}</p>}
      {may && (
        <div class="line push">
          {!isPhone.value &&
            acts
              .filter(({ isDisabled }) => !isDisabled)
              .map(({ title: name, run }) => (
                <Button class="plain" key={name} onClick={run}>
                  {name}
                </Button>
              ))}
          <Button class="plain" onClick={() => openSeriesItself(series.id)}>
            Edit
          </Button>
          <MoreButton
            label={`More for ${title}`}
            items={[
              ...(isPhone.value ? acts : []),
              { title: 'Delete', icon: 'trash', startsGroup: isPhone.value, isDanger: true, run: onRemove },
            ]}
          />
        </div>
      )}
    </li>
  );
}
