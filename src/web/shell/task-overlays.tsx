import { useEffect } from 'preact/hooks';
import { dateDialog, picker } from '../tasks/pickers.ts';
import { seriesDialog } from '../tasks/series.ts';
import { isFirstLoad } from './frame-view.ts';
import { Lazy, preload } from './lazy.tsx';
import { query } from './navigation.ts';
import { onceIdle } from './once-idle.ts';
import { userData } from './store.ts';

const loadPanel = async () => (await import('../tasks/panel.tsx')).Panel;
const loadPicker = async () => (await import('../tasks/picker-view.tsx')).PickerView;
const loadDateDialog = async () => (await import('../tasks/date-dialog.tsx')).DateDialogView;
const loadConflict = async () => (await import('./conflict.tsx')).Conflict;
const loadSeriesDialog = async () => (await import('../screens/recurring/series-dialog.tsx')).SeriesDialog;

/** The task beside the screen, where the address names one. */
export function TaskBeside() {
  const id = query.value.get('task');
  if (!id) return null;
  return <Lazy load={loadPanel} props={{ id }} />;
}

/** Choices, menus and dialogs that belong to tasks wherever they are shown; each loaded when it is first needed. */
export function TaskOverlays() {
  // Where the session ends, nothing waits for who signs in next.
  useEffect(
    () => () => {
      picker.value = dateDialog.value = seriesDialog.value = undefined;
    },
    [],
  );
  return (
    <>
      {picker.value && (
        <section aria-label="Choices">
          <Lazy load={loadPicker} props={{}} />
        </section>
      )}
      {dateDialog.value && <Lazy load={loadDateDialog} props={{}} />}
      {userData.value?.store.waiting.all.value.some(({ why }) => why?.theirs !== undefined) && (
        <Lazy load={loadConflict} props={{}} />
      )}
      {seriesDialog.value && <Lazy load={loadSeriesDialog} props={{}} />}
    </>
  );
}

const PARTS: readonly (() => Promise<unknown>)[] = [
  () => preload(loadPicker),
  () => preload(loadPanel),
  () => preload(loadDateDialog),
  () => import('../tasks/quick-add.tsx'),
  () => import('./palette.tsx'),
  // One goes on typing after `/`: until it is there, letters are keys of the screen before.
  () => import('../screens/search/search.tsx'),
  async () => {
    const { startRejectingDrops, startTellingPastes } = await import('./pastes-and-drops.ts');
    startRejectingDrops();
    startTellingPastes();
  },
  // Asked for while there is no network.
  () => import('./sign-out-dialog.tsx'),
  () => import('./waiting-changes.tsx'),
];

/** Loads what the first keys will ask for, after the rows. */
export function loadSoon(): void {
  onceIdle(
    () => !isFirstLoad.value,
    () => {
      for (const part of PARTS) part().catch(() => {});
    },
  );
}
