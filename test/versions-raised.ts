import type SqliteDatabase from 'better-sqlite3';
import { SHOWN } from '../src/storage/task-fields.ts';

/**
 * Has every write of this connection fail that changes what a task shows, by a cascade or a trigger too, and not its
 * version: pages and ETags go by that.
 */
export function requireRaisedVersions(writing: SqliteDatabase.Database): void {
  const isOther = SHOWN.split(', ').map((column) => `old.${column} is not new.${column}`);
  writing.exec(`
    create temp trigger shown_without_version after update on main.tasks
      when new.version <= old.version and (${isOther.join(' or ')})
    begin
      select raise(abort, 'what a task shows changed without its version');
    end`);
}
