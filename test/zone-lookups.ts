import { vi } from 'vitest';

/** How often `run` has a local time looked up in the data of its zone: what recurrence costs, on any machine. */
export async function zoneLookups(run: () => unknown): Promise<number> {
  const lookup = vi.spyOn(Temporal.PlainDateTime.prototype, 'toZonedDateTime');
  try {
    await run();
    return lookup.mock.calls.length;
  } finally {
    lookup.mockRestore();
  }
}
