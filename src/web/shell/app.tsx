import { useSignalEffect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { NotFound } from '../screens/not-found/not-found.tsx';
import { Unreachable } from '../screens/not-found/unreachable.tsx';
import { loadOptions } from '../screens/sign-in/options.ts';
import { besideId } from '../tasks/current.ts';
import { Unsent } from '../tasks/unsent.tsx';
import { quoted } from '../text/quoted.ts';
import { Coming } from '../ui/coming.tsx';
import { addressOf, returnTo, type ScreenName } from './addresses.ts';
import { Frame } from './frame.tsx';
import { isFirstLoad, titleOfLost, workspace } from './frame-view.ts';
import { isPublic, match, navigate, path, query } from './navigation.ts';
import { takeNotice } from './notice.ts';
import { dropKeysAhead, Overlays } from './overlays.tsx';
import { isLinking } from './provider-return.ts';
import { SCREENS, type ScreenProps, STARTING } from './screens.ts';
import { askToSignIn } from './session.ts';
import { session } from './signed-in.ts';
import { userData } from './store.ts';
import { TaskBeside, TaskOverlays } from './task-overlays.tsx';
import { showToast, toast } from './toasts.ts';

/** The screen of the present address, in the frame or alone. */
export function App() {
  useSignalEffect(() => {
    const { kind } = session.value;
    if (kind === 'out') toast.value = undefined;
    if (kind === 'out' && !isPublic.value) askToSignIn();
    if (kind !== 'in') return;
    if (isPublic.value) {
      const to = isLinking() ? addressOf('security') : returnTo(query.value.get('to'));
      navigate(to, { replace: true });
    } else {
      const notice = takeNotice();
      if (notice) showToast(notice);
    }
  });
  if (isPublic.value) return session.value.kind === 'in' ? null : <CurrentScreen />;
  if (session.value.kind === 'unreachable') return <Unreachable />;
  if (session.value.kind !== 'in' || !userData.value) return null;
  return (
    <>
      <Frame>
        <CurrentScreen />
      </Frame>
      <Overlays />
      <TaskOverlays />
    </>
  );
}

function CurrentScreen() {
  const found = match.value;
  if (!found) return <NotFound />;
  const { w } = found.params;
  if (w !== undefined && workspace.value?.id !== w && !isFirstLoad.value)
    return userData.value?.store.isHeard.value ? (
      <LostWorkspace w={w} taskId={found.params.task} />
    ) : (
      <Coming />
    );
  return (
    <>
      <LoadedScreen key={path.value} name={found.name} params={found.params} />
      {!isPublic.value && <TaskBeside />}
    </>
  );
}

/** In place of a screen of a workspace that the person is no member of, with what was typed about the task that was open. */
function LostWorkspace({ w, taskId = besideId.value }: { w: string; taskId: string | undefined }) {
  const title = titleOfLost(w);
  return (
    <NotFound below={taskId !== undefined && <Unsent taskId={taskId} />}>
      {title && `You are no longer a member of ${quoted(title)}, or it was deleted.`}
    </NotFound>
  );
}

const loaded = new Map(STARTING);

async function load(name: ScreenName): Promise<void> {
  loaded.set(name, await SCREENS[name]());
}

/** Loads the screen of an address; undefined where it is there. */
export function loadScreen(found: typeof match.value): Promise<void> | undefined {
  if (!found || loaded.has(found.name)) return undefined;
  // Drawing it tries again, and says so where that fails too.
  return load(found.name).catch(() => {});
}

/** Loads the screen of the present address, and what it will ask first, while the device is read. */
export function loadFirstScreen(): void {
  void loadScreen(match.peek());
  if (isPublic.peek()) void loadOptions();
}

/** A screen that is there mostly; the first one may still be loading. */
function LoadedScreen({ name, params }: { name: ScreenName } & ScreenProps) {
  const [state, setState] = useState<'loading' | 'failed' | 'there'>(loaded.has(name) ? 'there' : 'loading');
  useEffect(() => {
    // It may have come between drawing and now: then this draws it.
    if (state === 'there') return;
    let isWanted = true;
    load(name).then(
      () => isWanted && setState('there'),
      () => {
        if (!isWanted) return;
        dropKeysAhead();
        setState('failed');
      },
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  const Screen = loaded.get(name);
  if (state === 'failed') return <Unreachable />;
  return Screen ? <Screen params={params} /> : <Coming />;
}
