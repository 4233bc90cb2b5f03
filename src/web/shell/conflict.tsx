import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useUserData } from './store.ts';

/** A long text was changed elsewhere meanwhile: both side by side, and the person chooses. */
export function Conflict() {
  const { store } = useUserData();
  const act = store.waiting.all.value.find(({ why }) => why?.theirs !== undefined);
  if (!act?.why?.theirs) return null;
  const change = act.changes.find(({ text }) => text !== undefined);
  const mine = change?.text ? String(change.fields[change.text.field] ?? '') : '';
  const { text: theirs } = act.why.theirs;
  return (
    <Dialog label="Two versions">
      <div class="block">
        <h2>Two versions</h2>
        <p class="quiet">{act.name}. This text was changed elsewhere meanwhile.</p>
      </div>
      <div class="versions">
        <section aria-label="Mine">
          <h3>Mine</h3>
          <p class="prose" dir="auto">
            {mine}
          </p>
        </section>
        <section aria-label="Theirs">
          <h3>Theirs</h3>
          <p class="prose" dir="auto">
            {theirs ?? ''}
          </p>
        </section>
      </div>
      <div class="line actions">
        <Button class="push" onClick={() => void store.waiting.drop(act)}>
          Keep theirs
        </Button>
        <Button class="main" onClick={() => void store.waiting.keepMine(act)}>
          Keep mine
        </Button>
      </div>
    </Dialog>
  );
}
