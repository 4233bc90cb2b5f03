import { addressOf } from '../shell/addresses.ts';
import { isPhone } from '../shell/device.ts';
import { goUp, upperScreen } from '../shell/navigation.ts';
import { Tool } from './button.tsx';

/** On phones: the way to the screen above the present one, where it has one. */
export function Back() {
  const upper = upperScreen.value;
  if (!isPhone.value || !upper) return null;
  const { name, title } = upper;
  return <Tool class="back" icon="left" label={`Back to ${title}`} onClick={() => goUp(addressOf(name))} />;
}
