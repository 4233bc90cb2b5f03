/** A part of a statement with the values of its placeholders. */
export interface Condition {
  sql: string;
  parameters: (string | number)[];
}
