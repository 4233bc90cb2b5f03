import { expect, it } from 'vitest';
import { createKeyDispatcher } from '../../src/web/shell/keys.ts';

const plain = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isTyping: false };

it.each([
  ['z', false, 'z'],
  ['Z', true, 'Z'],
  // Caps Lock, alone and with Shift, which programs that press keys send without it.
  ['Z', false, 'z'],
  ['z', true, 'Z'],
  ['?', true, '?'],
])('a key that writes %s, with Shift: %s, is %s', (key, shiftKey, binding) => {
  const press = createKeyDispatcher(() => ['z', 'Z', '?']);
  expect(press({ ...plain, key, shiftKey }, 0)).toBe(binding);
});

it.each([
  // Greek, Cyrillic, and Cyrillic with Shift.
  ['ξ', 'KeyJ', {}, 'j'],
  ['о', 'KeyJ', {}, 'j'],
  ['Я', 'KeyZ', { shiftKey: true }, 'Z'],
  ['л', 'KeyK', { ctrlKey: true }, 'mod+k'],
  // French, and a German key without a Latin letter on it.
  ['z', 'KeyW', {}, 'z'],
  ['ö', 'Semicolon', {}, undefined],
])('a key that writes %s at the place of %s acts by its Latin letter', (key, code, modifiers, binding) => {
  const press = createKeyDispatcher(() => ['j', 'z', 'Z', 'w', 'mod+k', ';']);
  expect(press({ ...plain, key, code, ...modifiers }, 0)).toBe(binding);
});
