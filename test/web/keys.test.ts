import { expect, it } from 'vitest';
import { createKeyDispatcher } from '../../src/web/shell/keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isTyping: false };

it.each([
  ['z', false, 'z'],
  ['Z', true, 'Z'],
  // Caps Lock, alone and with Shift, which programs that press keys send without it.
  ['Z', false, 'z'],
  ['z', true, 'Z'],
  ['?', true, '?'],
])('a key that writes %s, with Shift: %s, is %s', (key, shiftKey, binding) => {
  const press = createKeyDispatcher({ bindings: () => ['z', 'Z', '?'], hasSingleLetters: () => true });
  expect(press({ ...plain, key, shiftKey }, 0)).toBe(binding);
});
