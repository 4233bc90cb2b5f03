import { quoted } from './quoted.ts';

/**
 * What a path of a response to an import means: `workspaces.0.tasks.3.listId` is `workspace “Household”, task “Buy milk”,
 * list`. What has no title in the document, or where that could not be read, is counted.
 */
export function entryInWords(path: string, document: unknown): string {
  const words: string[] = [];
  let value = document;
  for (const part of path === '' ? [] : path.split('.')) {
    value = Reflect.get(Object(value), part);
    words.push(
      /^\d+$/.test(part) ? `${singular(words.pop() ?? '')} ${titleOf(value) ?? +part + 1}` : nameOf(part),
    );
  }
  return words.join(', ');
}

function titleOf(value: unknown): string | undefined {
  const { title, name = title }: Record<string, unknown> = Object(value);
  return typeof name === 'string' && name.trim() !== '' ? quoted(name) : undefined;
}

/** `labelIds` are labels, `formatVersion` is a format version. */
const nameOf = (field: string): string =>
  field.replace(/Id(s?)$/, '$1').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const singular = (name: string): string => name.replace(/(us)es$|s$/, '$1');
