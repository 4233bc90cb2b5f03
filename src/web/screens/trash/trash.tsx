import type { TrashEntry as Entry } from '../../../trash/schema.ts';
import { restore } from '../../data/intents.ts';
import type { WaitingAct } from '../../data/waiting-acts.ts';
import { now, today, zone } from '../../shell/clock.ts';
import { isPhone } from '../../shell/device.ts';
import { isAdminIn, mayWriteIn } from '../../shell/frame-view.ts';
import { useItemKeys } from '../../shell/item-keys.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { useItems } from '../../shell/use-items.ts';
import { act } from '../../tasks/act.ts';
import { quoted } from '../../text/quoted.ts';
import { sayShortDay, sayWhen } from '../../text/say-dates.ts';
import { localOf } from '../../text/zones.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Back } from '../../ui/back.tsx';
import { Button } from '../../ui/button.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** What was deleted and can be brought back. */
export function Trash({ params }: ScreenProps) {
  const w = params.w ?? '';
  useItemKeys();
  const { store, userId, lists, spaces } = useUserData();
  const [ask, question] = useAsk();
  const path = `/workspaces/${w}/trash`;
  const isWaiting = store.sync.value.waiting > 0;
  // Another one whenever something has changed in the workspace.
  const cursor = store.workspaces().find(({ id }) => id === w)?.cursor;
  const { items: entries, isMissing, more, change } = useItems<Entry>(path, cursor, isWaiting);
  const askToEmpty = () =>
    ask({
      title: 'Empty trash',
      words: 'Everything in the trash cannot be brought back afterwards.',
      run: () => void change('DELETE', path, 'The trash is empty'),
    });
  const askToDelete = ({ id, title }: Entry) =>
    ask({
      title: 'Delete for good',
      words: `${quoted(title)} cannot be brought back afterwards.`,
      run: () => void change('DELETE', `${path}/${id}`, `Deleted ${quoted(title)} for good`),
    });
  const isAdmin = isAdminIn(w);
  const bringBack = (entry: Entry, place?: { listId: string } | { spaceId: string }) =>
    act(`Restored ${quoted(entry.title)}`, [restore(entry.kind, w, entry.id, undefined, place)]);
  /** A restore that the server rejected since the place of the thing is gone. */
  const rejectedOf = ({ id }: Entry) =>
    store.waiting.all.value.find(
      ({ why, changes }) =>
        why?.issues.some(({ path }) => path === 'listId' || path === 'spaceId') &&
        changes.some(({ op, thing }) => op === 'restore' && thing === id),
    );
  const nameOf = (id: string | null) => (id ? store.view.row('member', `${w}/${id}`)?.name : undefined);
  return (
    <main class="sheet">
      <header class="head">
        <Back />
        <ScreenHeading title="Trash" />
        {isAdmin && entries !== undefined && entries.length > 0 && (
          <div class="tools">
            <Button onClick={askToEmpty}>Empty trash</Button>
          </div>
        )}
      </header>
      {isMissing && <Nothing icon="offline">The trash is shown once the server can be reached.</Nothing>}
      {entries?.length === 0 && !isMissing && (
        <Nothing icon="trash">
          The trash is empty.{' '}
          {mayWriteIn(w) && !isPhone.value ? (
            <>
              Press <kbd>Del</kbd> on a task, and it waits here for a while.
            </>
          ) : (
            'What is deleted waits here for a while.'
          )}
        </Nothing>
      )}
      <div class="scroll" hidden={isMissing || entries?.length === 0} aria-busy={entries === undefined}>
        <ul class="entries">
          {entries?.map((entry) => (
            <li key={entry.id}>
              <div>
                <p class="cut" dir="auto">
                  {entry.title}
                </p>
                <p class="quiet">
                  {entry.kind === 'task'
                    ? 'Deleted '
                    : `${entry.kind === 'list' ? 'List' : 'Space'} with ${entry.itemCount} ${entry.itemCount === 1 ? 'task' : 'tasks'}, deleted `}
                  {sayWhen(entry.deletedAt, zone.value, now.value)}
                  {nameOf(entry.deletedBy) && ` by ${nameOf(entry.deletedBy)}`}, kept until{' '}
                  {sayShortDay(localOf(Date.parse(entry.purgeAt), zone.value).day, today.value)}
                </p>
              </div>
              <div class="line push">
                <Places
                  entry={entry}
                  rejected={rejectedOf(entry)}
                  places={[...(entry.kind === 'task' ? lists : spaces).rows].filter(
                    (place) => place.workspaceId === w,
                  )}
                  onChosen={(id, rejected) => {
                    void store.waiting.drop(rejected);
                    bringBack(entry, entry.kind === 'task' ? { listId: id } : { spaceId: id });
                  }}
                />
                {mayWriteIn(w) && <Button onClick={() => bringBack(entry)}>Restore</Button>}
                {(isAdmin || (mayWriteIn(w) && entry.deletedBy === userId)) && (
                  <Button class="plain" onClick={() => askToDelete(entry)}>
                    Delete for good
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ul>
        {more && <Button onClick={more}>Show older</Button>}
      </div>
      {question}
    </main>
  );
}

interface PlacesProps {
  entry: Entry;
  rejected: WaitingAct | undefined;
  places: readonly { id: string; title: string }[];
  onChosen(id: string, rejected: WaitingAct): void;
}

/** Where to bring something back whose list or space is gone. */
function Places({ entry, rejected, places, onChosen }: PlacesProps) {
  if (!rejected) return null;
  const what = entry.kind === 'task' ? 'list' : 'space';
  return (
    <select
      aria-label={`Restore ${quoted(entry.title)} to`}
      value=""
      onChange={(event) => onChosen(event.currentTarget.value, rejected)}
    >
      <option value="" disabled>
        Choose a {what}…
      </option>
      {places.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
