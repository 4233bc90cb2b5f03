import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { as, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import { signedInAs } from './studio.ts';
import { browser, DESKTOP, PHONE, startVisit, useBrowser, type Visit } from './visit.ts';

let world: World;
let ada: Person;
let home: string;
let visit: Visit;

useBrowser();
beforeEach(async () => {
  ({ world, ada, home } = await openHome({ start: Date.now() }));
  const timezone = 'UTC';
  await as(world, ada)('PATCH', '/me', { timezone, preferences: { welcomed: true } });
});
afterEach(() => visit.end());

async function enter(options: BrowserContextOptions & { at?: number }, month: string): Promise<Page> {
  visit = await startVisit(browser, signedInAs(world.app, ada), options);
  const { page } = visit;
  await page.goto(`${visit.origin}/app/w/${home}/calendar?month=${month}`);
  await shown(page, month);
  return page;
}
const shown = async (page: Page, month: string) => {
  await page.waitForURL(`${visit.origin}/app/w/${home}/calendar?month=${month}`);
  const words = new Date(`${month}-01T00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  await page.getByRole('heading', { level: 1, name: words }).waitFor();
};
const dueDays = async () => {
  const { body } = await as(world, ada)('GET', `/workspaces/${home}/tasks`);
  return body.items.map(({ title, dueDay }: Record<string, string>) => `${title} ${dueDay}`);
};

describe('a calendar', () => {
  it('goes back month by month, as it was paged through', async () => {
    const page = await enter(DESKTOP, '2030-01');
    for (const [button, month] of [
      ['Next month', '2030-02'],
      ['Next month', '2030-03'],
      ['Previous month', '2030-02'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await shown(page, month);
    }
    for (const month of ['2030-03', '2030-02', '2030-01']) {
      await page.goBack();
      await shown(page, month);
    }
  });

  it('is a link away from what is upcoming', async () => {
    const page = await enter(DESKTOP, '2030-01');
    await page.getByRole('link', { name: 'Upcoming', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Upcoming', exact: true }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Calendar', exact: true }).click();
    await page.getByRole('table', { name: 'Tasks by due date' }).waitFor();
  });

  it('goes week by week', async () => {
    const page = await enter(DESKTOP, '2030-01');
    await page.goto(`${visit.origin}/app/w/${home}/calendar?week=2030-W02`);
    for (const [button, week] of [
      ['Next week', '2030-W03'],
      ['Previous week', '2030-W02'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.waitForURL(`${visit.origin}/app/w/${home}/calendar?week=${week}`);
    }
  });

  it('shows the week of a day that weeks begin with', async () => {
    await as(world, ada)('PATCH', '/me', { weekStart: 'sunday' });
    const page = await enter({ ...DESKTOP, at: Date.parse('2030-01-06T12:00Z') }, '2030-01');
    const days = () =>
      page.getByRole('cell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-day')));
    await page.getByText('Week', { exact: true }).click();
    await page.waitForURL(/week=/);
    await expect.poll(async () => (await days())[0]).toBe('2030-01-06');
    await page.getByRole('button', { name: 'Next week' }).click();
    await expect.poll(async () => (await days())[0]).toBe('2030-01-13');
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    await expect.poll(async () => (await days())[0]).toBe('2030-01-06');
  });

  it('comes back from the week of today to its month, whichever has more of that week', async () => {
    await as(world, ada)('PATCH', '/me', { weekStart: 'saturday' });
    const page = await enter({ ...DESKTOP, at: Date.parse('2026-11-28T12:00Z') }, '2026-11');
    await page.getByText('Week', { exact: true }).click();
    await page.waitForURL(/week=2026-W49/);
    await page.getByText('Month', { exact: true }).click();
    await shown(page, '2026-11');
  });

  it('changes between months and weeks by the arrows', async () => {
    const page = await enter(DESKTOP, '2030-01');
    await page.getByRole('radio', { name: 'Month' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/week=2030-W/);
    await page.getByRole('radio', { name: 'Week', checked: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/month=2030-/);
    await page.getByRole('radio', { name: 'Month', checked: true }).waitFor();
  });

  it('shows what is coming on the day of the person, whatever the zone of its rule', async () => {
    const call = as(world, ada);
    await call('PATCH', '/me', { timezone: 'America/New_York' });
    const [{ id: listId }] = (await call('GET', `/workspaces/${home}/lists`)).body.items;
    const made = await call('POST', `/workspaces/${home}/recurring-tasks`, {
      title: 'Watering',
      listId,
      startsAt: '2030-01-02T00:00:00.000Z',
      interval: {
        frequency: 'week',
        every: 1,
        daysOfWeek: ['wednesday'],
        timeOfDay: '01:00',
        timezone: 'Europe/Berlin',
      },
      endCondition: { type: 'count', count: 3 },
    });
    expect(made.status).toBe(201);
    const page = await enter(DESKTOP, '2030-01');
    const days = () =>
      page
        .getByRole('cell')
        .filter({ hasText: 'Watering' })
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-day')));
    await expect.poll(days).toEqual(['2030-01-01', '2030-01-08', '2030-01-15']);
  });

  it('takes a task on an empty day by keys', async () => {
    const page = await enter(DESKTOP, '2030-01');
    const first = page.getByRole('cell').getByRole('button', { name: 'Add a task on Tue 1 Jan 2030' });
    await first.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Quick add' }).fill('Plant garlic');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const day = page.getByRole('cell').filter({ has: page.locator('time[datetime="2030-01-09"]') });
    await day.getByRole('link', { name: 'Plant garlic' }).waitFor();
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toBe('Add a task on Wed 9 Jan 2030');
    await expect.poll(dueDays).toEqual(['Plant garlic 2030-01-09']);
  });

  it('lets keys walk through the entries it shows, and from day to day', async () => {
    const call = as(world, ada);
    const [{ id: listId }] = (await call('GET', `/workspaces/${home}/lists`)).body.items;
    const days = ['2030-01-08', ...Array.from({ length: 6 }, () => '2030-01-09'), '2030-01-20'];
    for (const [i, dueDay] of days.entries())
      await call('POST', `/workspaces/${home}/tasks`, { listId, title: `Task ${i}`, dueDay });
    const page = await enter(DESKTOP, '2030-01');
    await page.getByRole('button', { name: '2 more' }).waitFor();
    const focused = () => page.locator(':focus').innerText();
    for (const [key, title] of [
      ['ArrowDown', 'Task 0'],
      ['ArrowRight', 'Task 1'],
      ['ArrowDown', 'Task 2'],
      ['ArrowRight', 'Task 7'],
      ['ArrowUp', 'Task 4'],
      ['ArrowDown', 'Task 7'],
      ['ArrowLeft', 'Task 1'],
      ['ArrowLeft', 'Task 0'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(title);
    }
  });

  it('moves all that is selected, by keys and by dragging', async () => {
    const call = as(world, ada);
    const [{ id: listId }] = (await call('GET', `/workspaces/${home}/lists`)).body.items;
    for (const [title, dueDay] of [
      ['Oak', '2030-01-08'],
      ['Ash', '2030-01-09'],
    ])
      await call('POST', `/workspaces/${home}/tasks`, { listId, title, dueDay });
    const page = await enter(DESKTOP, '2030-01');
    const link = (title: string) => page.getByRole('cell').getByRole('link', { name: title });
    for (const title of ['Oak', 'Ash']) {
      await link(title).focus();
      await page.keyboard.press('x');
    }
    await page.keyboard.press('Alt+ArrowRight');
    await page.getByText('2 tasks: due a day later').waitFor();
    await expect.poll(async () => (await dueDays()).sort()).toEqual(['Ash 2030-01-10', 'Oak 2030-01-09']);
    await link('Oak').dragTo(page.locator('td[data-day="2030-01-16"]'));
    await expect.poll(async () => (await dueDays()).sort()).toEqual(['Ash 2030-01-16', 'Oak 2030-01-16']);
  });

  it('begins with today on a phone, and leads back there', async () => {
    const listId = (await as(world, ada)('GET', `/workspaces/${home}/lists`)).body.items[0].id;
    for (let day = 1; day < 16; day++) {
      const dueDay = `2030-01-${String(day).padStart(2, '0')}`;
      await as(world, ada)('POST', `/workspaces/${home}/tasks`, { listId, title: dueDay, dueDay });
    }
    const page = await enter({ ...PHONE, at: Date.parse('2030-01-16T12:00:00Z') }, '2030-01');
    const today = page.getByRole('region', { name: 'Today' });
    await page.getByRole('link', { name: '2030-01-15' }).waitFor();
    const isOnTop = async () => {
      const [top, own] = await Promise.all([page.locator('main .scroll').boundingBox(), today.boundingBox()]);
      return Math.abs((own?.y ?? 0) - (top?.y ?? 0)) < 8;
    };
    await expect.poll(isOnTop).toBe(true);
    await page.getByRole('link', { name: '2030-01-01' }).scrollIntoViewIfNeeded();
    expect(await isOnTop()).toBe(false);
    await page.getByRole('main').getByRole('button', { name: 'Today' }).tap();
    await expect.poll(isOnTop).toBe(true);
  });

  it('takes a task on an empty day by touch', async () => {
    const page = await enter(PHONE, '2030-01');
    const day = page.getByRole('region', { name: 'Wednesday 9 Jan 2030' });
    await day.getByRole('button', { name: 'Add a task on Wed 9 Jan 2030' }).tap();
    await page.getByRole('textbox', { name: 'Quick add' }).fill('Plant garlic');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByRole('group', { name: 'Understood' }).getByText('Wed 9 Jan 2030').waitFor();
    await dialog.getByRole('button', { name: /^Add/ }).tap();
    await dialog.getByRole('button', { name: 'Close' }).tap();
    await day.getByRole('link', { name: 'Plant garlic' }).waitFor();
    await expect.poll(dueDays).toEqual(['Plant garlic 2030-01-09']);
  });
});
