import { describe, expect, it } from 'vitest';
import { routes } from '../../src/routes.ts';
import { CONTRACT_ROUTES } from '../contract-routes.ts';

const mounted = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

describe('the mounted routes', () => {
  it('are those of the specification and the contract: none forgotten, none invented', () => {
    expect(mounted.toSorted()).toEqual(CONTRACT_ROUTES.toSorted());
  });

  it('are each mounted once', () => {
    expect(new Set(mounted).size).toBe(mounted.length);
  });
});
