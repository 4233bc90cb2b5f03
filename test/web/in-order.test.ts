import { expect, it } from 'vitest';
import { inOrder } from '../../src/web/shell/in-order.ts';

it('a response that comes after that of a later request is not shown', () => {
  const begin = inOrder();
  const [first, second, third] = [begin(), begin(), begin()];
  expect([second(), first(), third(), second()]).toEqual([true, false, true, false]);
});
