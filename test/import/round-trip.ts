/** An export without what an import does not keep: ids become the places where they first stand. */
export function withoutIds(document: Document): unknown {
  const places = new Map<string, string>();
  const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const visit = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(ID, (id) => {
        if (!places.has(id)) places.set(id, path);
        return places.get(id) ?? '';
      });
    }
    if (Array.isArray(value)) return value.map((each, i) => visit(each, `${path}.${i}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !['version', 'joinedAt'].includes(name))
        .map(([name, inner]) => [name, visit(inner, `${path}.${name}`)]),
    );
  };
  return visit(document.workspaces, '');
}

// biome-ignore lint/suspicious/noExplicitAny: documents are looked at in many ways
export type Document = { workspaces: any[] } & Record<string, any>;

/** The least that a workspace of a document must have. */
export const STATUS_TEMPLATES = [
  {
    id: 't',
    title: 'Default',
    isDefault: true,
    statuses: [
      { id: 'u', title: 'To Do', type: 'unstarted' },
      { id: 'c', title: 'Done', type: 'completed' },
    ],
  },
];
