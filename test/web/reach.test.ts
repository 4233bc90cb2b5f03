import { beforeEach, describe, expect, it } from 'vitest';
import { actOn } from './acts.ts';
import { ContractServer } from './contract-server.ts';
import { Device, type Page, Timeline } from './simulation.ts';

let timeline: Timeline;
let device: Device;

beforeEach(() => begin());

function begin(): void {
  timeline = new Timeline(1);
  const server = new ContractServer(timeline);
  server.seed('w1', { ada: 'owner' });
  device = new Device(timeline, (request) => server.serve(request, 'ada'), 'ada');
}

const said = ({ store }: Page): string => store.sync.value.text;

/** The network goes or comes, and the device tells it. */
function turn(page: Page, isOnline: boolean): void {
  device.isOnline = isOnline;
  page.store.refresh(true);
}

describe('the state of sync', () => {
  it('is "Synced" again soon after a short outage that the stream outlives', async () => {
    const page = await device.open();
    await timeline.advance(5_000);
    turn(page, false);
    actOn(page, 0, timeline);
    await timeline.advance(2_000);
    expect(said(page)).toBe('Offline, 1 waiting');
    for (const act of page.store.waiting.all.value) void page.store.waiting.drop(act);
    await timeline.advance(100);
    turn(page, true);
    await timeline.advance(2_000);
    expect(said(page)).toBe('Synced');
  });

  it('is still "Offline" in the next document, until a response proves that there is a network', async () => {
    device.wasOffline = true;
    const page = await device.open();
    expect(said(page)).toBe('Offline');
    await timeline.advance(1_000);
    expect(said(page)).toBe('Synced');
  });

  it('stays "Offline" while a device that was without a network only claims to have one', async () => {
    device.wasOffline = true;
    device.isLying = true;
    const page = await device.open();
    page.store.refresh();
    await timeline.advance(60_000);
    expect(said(page)).toBe('Offline');
  });

  it('is "Offline" though responses were under way when the network went', async () => {
    for (let ms = 0; ms < 300; ms += 5) {
      begin();
      const before = await device.open();
      await timeline.advance(5_000);
      before.store.leave();
      await timeline.advance(100);
      before.kill();
      const page = await device.open();
      await timeline.advance(ms);
      turn(page, false);
      await timeline.advance(1_000);
      actOn(page, 0, timeline);
      await timeline.advance(20_000);
      expect(said(page), `after ${ms} ms`).toBe('Offline, 1 waiting');
    }
  });

  it('is "Synced" within 10 s of the end of a long outage that the device does not tell of', async () => {
    const page = await device.open();
    turn(page, false);
    await timeline.advance(600_000);
    device.isOnline = true;
    await timeline.advance(10_500);
    expect(said(page)).toBe('Synced');
  });
});
