import type { Attempt } from './attempt.ts';
import type { Corpus } from './corpus.ts';
import type { Random } from './request-factory.ts';
import { kindOf } from './values.ts';

/** A user may be a member here as well: to name them is no trespass. */
const EVERYWHERE = ['Workspace', 'User', 'Assignee'];

/**
 * Puts the id of something of another workspace, or of another person, into a request; returns the statuses that are
 * due then, or undefined where there is no place for such an id.
 */
export function trespass(attempt: Attempt, corpus: Corpus, random: Random): number[] | undefined {
  const { operation, params, person, body, query } = attempt;
  const scope = params.workspace_id ?? person.id;
  const places = [
    ...operation.params.map((name) => ({
      name,
      rejected: body ? [404, 400] : [404],
      put: (id: string) => {
        params[name] = id;
      },
    })),
    ...Object.keys(body ?? {}).map((name) => ({
      name,
      rejected: [400, 404],
      put: (id: string) => {
        attempt.body = { ...body, [name]: id };
      },
    })),
    // A filter by what is not here finds nothing.
    ...query.map((parameter) => ({
      name: parameter[0],
      rejected: [],
      put: (id: string) => {
        parameter[1] = id;
      },
    })),
  ].filter(({ name }) => !EVERYWHERE.includes(kindOf(name) ?? 'Workspace'));
  const place = places[random(places.length)];
  const things = place ? corpus.elsewhere(kindOf(place.name) ?? '', scope) : [];
  const thing = things[random(things.length)];
  if (!place || !thing) return undefined;
  place.put(thing.id);
  return place.rejected;
}
