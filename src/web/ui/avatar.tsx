const HUES = ['clay', 'amber', 'olive', 'teal', 'sky', 'iris', 'plum', 'stone'] as const;

/** At most two letters that stand for a name, in any script; its first sign where it has no letter. */
function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /\p{L}|\p{N}/u.test(word));
  const firsts = [words[0], words.length > 1 ? words.at(-1) : undefined];
  const letters = firsts.map((word) => [...(word ?? '')].find((letter) => /\p{L}|\p{N}/u.test(letter)) ?? '');
  if (words.length === 0) return [...new Intl.Segmenter().segment(name.trim())][0]?.segment ?? '';
  const isLatin = letters.every((letter) => /^\p{Script=Latin}?$/u.test(letter));
  return (isLatin ? letters.join('') : (letters[0] ?? '')).toLocaleUpperCase('en');
}

/** A hue that a person always has. */
function hueOf(id: string): (typeof HUES)[number] {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 65_521;
  return HUES[sum % HUES.length] ?? 'stone';
}

interface Props {
  id: string;
  name: string;
  large?: boolean;
  /** Beside the written name, or inside a control that is named: says nothing by itself. */
  isDecoration?: boolean;
}

/** A person's disc. The initials are drawn by the style sheet from an attribute: they are no text of any control. */
export const Avatar = ({ id, name, large = false, isDecoration = false }: Props) => (
  <span
    class={large ? 'avatar large' : 'avatar'}
    data-hue={hueOf(id)}
    data-initials={initialsOf(name)}
    {...(isDecoration ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': name })}
  />
);
