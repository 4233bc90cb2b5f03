/** What the dispatcher reads of a keyboard event. */
interface Keystroke {
  key: string;
  /** Which key it is, by what it writes on an American keyboard: `KeyJ`. */
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  /** Whether text is being written where the key went. */
  isTyping: boolean;
}

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1500;

/**
 * Turns keystrokes into bindings. Keys are known by what they write, so that every layout works, and where that is no
 * Latin letter by their place. Single letters and signs do nothing while one types; the first key of a sequence waits,
 * and another key ends it and acts as itself. `bindings`: every one that applies now: `c`, `g t`, `mod+k`,
 * `alt+ArrowUp`, `Shift+ArrowDown`.
 */
export function createKeyDispatcher(bindings: () => readonly string[]) {
  let prefix: { key: string; until: number } | undefined;
  /** The binding that a keystroke completes; undefined for none. `now` in milliseconds. */
  return (stroke: Keystroke, now: number): string | undefined => {
    if (isModifier(stroke.key)) return undefined;
    const name = nameOf(stroke);
    const waiting = prefix !== undefined && now < prefix.until ? prefix.key : undefined;
    prefix = undefined;
    if (isCharacter(stroke) && stroke.isTyping) return undefined;
    const all = bindings();
    const sequence = `${waiting} ${name}`;
    if (waiting !== undefined && all.includes(sequence)) return sequence;
    if (all.some((binding) => binding.startsWith(`${name} `))) {
      prefix = { key: name, until: now + SEQUENCE_MS };
      return undefined;
    }
    return all.includes(name) ? name : undefined;
  };
}

/** `mod` is Ctrl, or ⌘ on a Mac. Shift is part of what a character key writes, and named only for other keys. */
function nameOf({ key: written, code, ctrlKey, metaKey, altKey, shiftKey }: Keystroke): string {
  const isCharacterKey = written.length === 1;
  // Greek, Cyrillic, Hebrew and the like.
  const key = written > '\x7f' && /^Key[A-Z]$/.test(code) ? code.slice(3) : written;
  const modifiers = [
    (ctrlKey || metaKey) && 'mod',
    altKey && 'alt',
    shiftKey && (!isCharacterKey || ctrlKey || metaKey) && 'shift',
  ].filter((modifier) => modifier !== false);
  // By Shift and not by what it writes: Caps Lock changes no command.
  const isUpper = shiftKey && !ctrlKey && !metaKey;
  const letter = isUpper ? key.toUpperCase() : key.toLowerCase();
  const plain = isCharacterKey ? letter : key;
  return [...modifiers, plain].join('+');
}

const isModifier = (key: string) => ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(key);
const isCharacter = (stroke: Keystroke) => stroke.key.length === 1 && !stroke.ctrlKey && !stroke.metaKey;

/** Whether a binding is of letters and signs alone: `c`, `?`, `g t`. */
export const isSingleLetter = (binding: string): boolean => /^.( |$)/.test(binding);

/** A binding as people read it: `['G', 'T']`, `['Ctrl', 'K']`. */
export function keyLabels(binding: string, isMac: boolean): string[] {
  const names: Record<string, string> = {
    mod: isMac ? '⌘' : 'Ctrl',
    alt: isMac ? '⌥' : 'Alt',
    shift: 'Shift',
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
    Enter: '↵',
    Escape: 'Esc',
    Delete: 'Del',
  };
  const labelOf = (key: string) => {
    if (names[key]) return [names[key]];
    if (key.length !== 1) return [key];
    const isUpper = key !== key.toLowerCase();
    return isUpper ? ['Shift', key] : [key.toUpperCase()];
  };
  return binding.split(' ').flatMap((step) => (step === '+' ? ['+'] : step.split('+').flatMap(labelOf)));
}
