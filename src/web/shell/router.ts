export interface Match<Name extends string> {
  name: Name;
  params: Readonly<Record<string, string>>;
}

/**
 * Makes the function that finds the first pattern for a path. A pattern is a path in which `:name` stands for one
 * part, an id or a number, into `params`: nothing else gets from an address into the path of a request.
 */
export function createRouter<Name extends string>(
  table: Readonly<Record<Name, string>>,
): (path: string) => Match<Name> | undefined {
  const patterns = (Object.entries(table) as [Name, string][]).map(([name, pattern]) => ({
    name,
    parts: partsOf(pattern),
  }));
  return (path) => {
    const parts = partsOf(path);
    for (const { name, parts: pattern } of patterns) {
      const params = paramsIn(pattern, parts);
      if (params) return { name, params };
    }
    return undefined;
  };
}

/** The path of a pattern with its parameters filled in; a missing one is a mistake of the caller. */
export function fill(pattern: string, params: Readonly<Record<string, string>> = {}): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${pattern} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** An address with other query parameters; `undefined` and '' remove one. */
export function withQuery(address: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

function paramsIn(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (!expected.startsWith(':')) {
      if (part !== expected) return undefined;
      continue;
    }
    if (!/^[\w-]+$/.test(part)) return undefined;
    params[expected.slice(1)] = part;
  }
  return params;
}
