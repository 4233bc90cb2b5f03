import { applies } from '../shell/commands.ts';
import { isMac } from '../shell/key-events.ts';
import { keyLabels } from '../shell/keys.ts';

/** A binding as caps; none where it does nothing. */
export const Keycaps = ({ binding }: { binding: string }) => (
  <>
    {(applies(binding) ? keyLabels(binding, isMac) : []).map((label, index) => (
      <kbd key={index}>{label}</kbd>
    ))}
  </>
);
