import { sql } from 'kysely';
import { type Db, query } from '../db/connection.ts';
import { indexText } from './words.ts';

interface Searchable {
  title: string;
  description: string | null;
}

/** Makes a new task findable. */
export const indexTask = (db: Db, code: number, seq: number, { title, description }: Searchable) =>
  db.run(
    sql`insert into task_search (rowid, title, description) values (${seq}, ${indexText(code, title)}, ${indexText(code, description)})`.compile(
      query,
    ),
  );

/** Makes a task findable by what its title and description became. */
export const reindexTask = (db: Db, code: number, seq: number, { title, description }: Searchable) =>
  db.run(
    sql`update task_search set title = ${indexText(code, title)}, description = ${indexText(code, description)} where rowid = ${seq}`.compile(
      query,
    ),
  );
