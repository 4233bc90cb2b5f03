import { type Held, thingKey } from './rows.ts';

/** What happened to rows while a request was under way, so that its response is not put over something newer. */
export interface Flight {
  touched: Set<string>;
  reset: Set<string>;
}

/** The requests under way whose responses are rows. */
export class Flights {
  readonly #flights = new Set<Flight>();

  start(): Flight {
    const flight = { touched: new Set<string>(), reset: new Set<string>() };
    this.#flights.add(flight);
    return flight;
  }

  end(flight: Flight): void {
    this.#flights.delete(flight);
  }

  /** The copies of these workspaces start over: what is under way for them comes too late. */
  noteReset(workspaceIds: readonly string[]): void {
    for (const { reset } of this.#flights) for (const id of workspaceIds) reset.add(id);
  }

  /** These rows were written. */
  noteTouched(rows: readonly Pick<Held, 'kind' | 'key'>[]): void {
    for (const { touched } of this.#flights)
      for (const { kind, key } of rows) touched.add(thingKey(kind, key));
  }
}
