const MAX_CHARACTERS = 60;
const MAX_LOCAL_CHARACTERS = 40;
const MAX_DOMAIN_CHARACTERS = 60;
const MAX_WORDS = 3;
const MAX_FIRST_WORD = 16;

/** Something@elsewhere, scheme:something, //host, a name with a dot before a last part of letters, four numbers. */
const READS_AS_ADDRESS = [
  /@./u,
  /.@/u,
  /^\P{L}*[a-z][a-z\d+.-]*:[^\s\p{P}]/iu,
  /[/\\]{2}/u,
  /\.(?:\p{L}{2,}|xn--)/iu,
  /。[a-z]{2,}/iu,
  /\d+(?:\.\d+){3}/u,
];

/**
 * A name or title as a mail to a stranger may carry it: at most 60 characters on one line, without controls, marks of
 * direction or invisible characters, and with `…` for each word that reads as an address of any kind. Empty where
 * nothing is left.
 */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (READS_AS_ADDRESS.some((address) => address.test(word)) ? '…' : word))
    .filter((word, i, all) => word !== '…' || all[i - 1] !== '…');
  const plain = words.join(' ');
  return /[\p{L}\p{N}]/u.test(plain) ? shortened(plain, MAX_CHARACTERS) : '';
}

/**
 * An address as a mail to a stranger may carry it: whole where it is one as people have, else so short that neither
 * part is a sentence of its owner's choice.
 */
export function shownAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const domain = email.slice(at + 1);
  const words = local.split(/[._+-]+/);
  const isUsual =
    local.length <= MAX_LOCAL_CHARACTERS && words.length <= MAX_WORDS && /^[\w.+-]+$/.test(local);
  const first = /^\w{1,16}/.exec(local)?.[0].split('_')[0]?.slice(0, MAX_FIRST_WORD) ?? '';
  const host =
    domain.length <= MAX_DOMAIN_CHARACTERS && domain.split(/[.-]/).length <= MAX_WORDS + 2
      ? domain
      : `…${domain.split('.').slice(-2).join('.').slice(-MAX_DOMAIN_CHARACTERS)}`;
  return `${isUsual ? local : `${first}…`}@${host}`;
}

/** Cut between two characters as people see them, so that no half of one is left. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Says in which role somebody is: as an admin, as a viewer. */
export const asRole = (role: string): string => `as ${role === 'admin' ? 'an' : 'a'} ${role}`;
