import { isMac } from '../shell/key-events.ts';
import { keyLabels } from '../shell/keys.ts';

/** A binding as caps. */
export const Keycaps = ({ binding }: { binding: string }) => (
  <>
    {keyLabels(binding, isMac).map((label, index) => (
      <kbd key={index}>{label}</kbd>
    ))}
  </>
);
