import { useEffect, useState } from 'preact/hooks';
import { now, today } from '../../shell/clock.ts';
import { useUserData } from '../../shell/store.ts';
import { sayDistance } from '../../tasks/dates.ts';
import { weekdayIndex } from '../../text/days.ts';
import { plainTime, SHORT_WEEKDAYS, sayDay, sayShortDay, withinSentence } from '../../text/say-dates.ts';
import type { EndCondition, Interval } from '../../text/say-rules.ts';
import { localOf } from '../../text/zones.ts';
import { Icon } from '../../ui/icon.tsx';

const NOTES: Record<string, string> = {
  clamped: 'Moved: the month is shorter',
  shifted: 'Shifted: clocks go forward over the time of the rule',
  'first-pass': 'The first of two: clocks go back',
};

interface Preview {
  at: string;
  local: string;
  note: string | null;
}

interface Props {
  workspaceId: string;
  interval: Interval;
  endCondition: EndCondition;
  startsAt: string;
}

/** The next five dates as the server counts them, and why one is moved. */
export function NextFive({ workspaceId, interval, endCondition, startsAt }: Props) {
  const { api, isReachable } = useUserData().store;
  const [found, setFound] = useState<readonly Preview[]>();
  const [problem, setProblem] = useState<string>();
  const key = JSON.stringify([interval, endCondition, startsAt]);
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(async () => {
      const body = {
        interval,
        endCondition,
        startsAt,
        limit: 5,
        after: new Date(now.peek()).toISOString(),
      };
      const path = `workspaces/${workspaceId}/recurring-tasks/preview`;
      const outcome = await api.request('POST', path, body);
      if (!isWanted) return;
      if (outcome.kind === 'ok') {
        setFound((outcome.body as { occurrences: Preview[] }).occurrences);
        setProblem(undefined);
      } else if (outcome.kind === 'error') setProblem(outcome.issues[0]?.message ?? outcome.message);
      else setProblem('The next dates are shown once the server can be reached.');
    }, 200);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, isReachable.value]);
  return (
    <section class="block" aria-label="Next five">
      <h2>Next five</h2>
      {problem && <p class="quiet">{problem}</p>}
      <ol class="dates">
        {found?.map(({ at, local, note }) => {
          // `local` is what the rule asks for; where clocks skip that time, the task comes later.
          const { day, time } =
            local.length > 10 ? localOf(at, interval.timezone) : { day: local, time: undefined };
          return (
            <li key={at}>
              <time dateTime={time ? at : day}>
                <span>{SHORT_WEEKDAYS[weekdayIndex(day)]}</span>
                <span>{sayShortDay(day, today.value)}</span>
                <span>{time && plainTime(time)}</span>
              </time>
              <span class="quiet">
                {note ? (
                  <>
                    <Icon name="clock" small />
                    {NOTES[note] ?? note}
                  </>
                ) : (
                  sayDistance(day, today.value) || withinSentence(sayDay(day, today.value))
                )}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
