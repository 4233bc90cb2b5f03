import { expect, it } from 'vitest';
import { fuzz } from '../../tools/fuzz/campaign.ts';
import { openOutside } from '../../tools/fuzz/outside.ts';
import { inProcess } from '../../tools/fuzz/target.ts';

// A glimpse of what `npm run fuzz` does at length.
it('1,000 requests made of the API description have the responses that it declares, rejected where they must be, and leave the database intact', async () => {
  const outside = await openOutside(false);
  const target = await inProcess(outside.options);
  const { findings, requests } = await fuzz({
    target,
    requests: 1_000,
    seed: 7,
    looks: 0,
    idToken: outside.idToken,
  });
  const faults = await target.close();
  await outside.close();
  expect(requests).toBeGreaterThanOrEqual(1_000);
  expect(findings).toEqual([]);
  expect(faults).toEqual([]);
});
