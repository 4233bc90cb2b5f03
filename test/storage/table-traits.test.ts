import { describe, expect, it } from 'vitest';
import { AccountExport } from '../../src/export/schema.ts';
import { deletionOf } from '../../src/storage/delete-rows.ts';
import { TABLE_TRAITS, type TableTraits } from '../../src/storage/table-traits.ts';
import { useWorld, world } from '../ada.ts';

useWorld();

const TRAITS = Object.entries<TableTraits>(TABLE_TRAITS);
const THINGS = { users: 'user', workspaces: 'workspace', spaces: 'space', lists: 'list' } as const;
/** What goes with its things in the commit that asks for it, by what holds no id of theirs. */
const BY_ADDRESS = ['pending_signups', 'login_codes', 'budgets'];

/** The fields of an object of the export, or of the objects in an array. */
const fields = (schema: unknown): Record<string, unknown> => {
  const { shape, element } = schema as { shape?: Record<string, unknown>; element?: unknown };
  return shape ?? (element ? fields(element) : {});
};
const all = <Row>(sql: string): Row[] => world.rows<Row>(sql);
const tables = () =>
  all<{ name: string }>(
    `select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'
      and name not glob 'task_search*' and name not glob 'kysely_*'`,
  ).map(({ name }) => name);

const placeOf = (exported: NonNullable<TableTraits['exported']>) =>
  typeof exported === 'string' ? exported : exported.at;

describe('the traits of tables', () => {
  it('are declared of every table in the schema, and of no other', () => {
    expect(TRAITS.map(([table]) => table).sort()).toEqual(tables().sort());
  });

  it('say how rows expire wherever a column says when, and name columns that are there', async () => {
    for (const [table, { expires }] of TRAITS) {
      const columns = all<{ name: string }>(`pragma table_info('${table}')`).map(({ name }) => name);
      if (columns.some((column) => /^(expires|purge)_at$/.test(column))) expect(expires, table).toBeDefined();
      if (!expires || expires === 'own') continue;
      const expired = deletionOf(table, expires.where, expires.key ?? 'id')('', 1);
      expect(await world.deps.write((tx) => tx.run(expired)), table).toBe(0);
    }
  });

  it('void on restore whatever holds the hash of a secret', () => {
    const holding = tables().filter((table) =>
      all<{ name: string }>(`pragma table_info('${table}')`).some(({ name }) =>
        /^((token|code|cookie)_)?hash$/.test(name),
      ),
    );
    // Refresh tokens go with their sessions; what Telegram signed stays used.
    const apart = ['refresh_tokens', 'used_telegram_logins'];
    expect(holding.length).toBeGreaterThan(apart.length);
    for (const table of holding.filter((name) => !apart.includes(name))) {
      expect(TRAITS.find(([name]) => name === table)?.[1].onRestore, table).toBeDefined();
    }
  });

  it('say what becomes of rows that refer to a user, a workspace, a space or a list, and of no others', () => {
    for (const [table, { goesWith = {} }] of TRAITS) {
      const referred = all<{ table: string }>(`pragma foreign_key_list('${table}')`).flatMap(
        ({ table: parent }) => (parent in THINGS ? [THINGS[parent as keyof typeof THINGS]] : []),
      );
      for (const kind of referred) expect(Object.keys(goesWith), table).toContain(kind);
      for (const [kind, how] of Object.entries(goesWith)) {
        if (how === 'reference') expect(referred, `${table} with a ${kind}`).toContain(kind);
        if (how === 'at once' && !BY_ADDRESS.includes(table)) expect(referred, table).toContain(kind);
      }
    }
  });

  it('name places that an export has', () => {
    for (const [table, { exported }] of TRAITS) {
      if (!exported) continue;
      const path = placeOf(exported);
      let at: unknown = AccountExport;
      for (const name of path.split('.')) {
        at = fields(at)[name];
        expect(at, `${table}: ${path}`).toBeDefined();
      }
    }
  });

  it('name every array that an export has', () => {
    const named = TRAITS.flatMap(([, { exported }]) => (exported ? [placeOf(exported)] : []));
    const { workspaces, ...personal } = fields(AccountExport);
    const arrays = [
      ...Object.entries(personal),
      ...Object.entries(fields(workspaces)).map(([name, field]) => [`workspaces.${name}`, field] as const),
    ].flatMap(([name, field]) => ((field as { element?: unknown }).element ? [name] : []));
    expect(arrays.length).toBeGreaterThan(5);
    for (const name of arrays) expect(named).toContain(name);
  });
});
