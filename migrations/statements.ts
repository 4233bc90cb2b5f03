import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Only a statement begins at the start of a line; what belongs to it is indented, or is a trigger's `end`. */
const BETWEEN_STATEMENTS = /;\n+(?=(?!end)\S)/;

/** A migration that runs the statements of a script one by one. */
export const statements = (script: string): Migration => ({
  up: async (db) => {
    for (const statement of script.trim().split(BETWEEN_STATEMENTS)) await sql.raw(statement).execute(db);
  },
});
