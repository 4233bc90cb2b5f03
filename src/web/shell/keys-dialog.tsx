import { Tool } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Keycaps } from '../ui/keycaps.tsx';
import { applies, commands, GROUPS, singleLetters } from './commands.ts';
import { canWrite } from './frame-view.ts';
import type { OverlayProps } from './overlays.tsx';

/** The keys that apply here. */
export function KeysDialog({ onClose }: OverlayProps) {
  const withKeys = commands.value.filter(
    ({ keys, writes }) => keys?.some(applies) && (canWrite.value || !writes),
  );
  return (
    <Dialog label="Keys" onClose={onClose}>
      <header class="dialog-head">
        <h2>Keys</h2>
        <Tool class="push" icon="close" label="Close" onClick={onClose} />
      </header>
      {!singleLetters.value && (
        <p class="block quiet">Single letters are switched off, under Settings, Profile.</p>
      )}
      <div class="key-groups">
        {GROUPS.map((group) => {
          const inGroup = withKeys.filter((command) => command.group === group);
          if (inGroup.length === 0) return null;
          return (
            <section key={group} aria-label={group}>
              <h3 class="quiet">{group}</h3>
              <dl>
                {inGroup.map(({ id, title, keys = [] }) => (
                  <div key={id}>
                    <dt>{title}</dt>
                    <dd>
                      {keys.filter(applies).map((binding, index) => (
                        <span key={binding}>
                          {index > 0 && <span class="quiet"> or </span>}
                          <Keycaps binding={binding} />
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
