import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { as, openHome } from '../people.ts';
import { signedInAs } from './studio.ts';
import { DESKTOP, useVisit, visit } from './visit.ts';

let call: ReturnType<typeof as>;
let inside: string;
let page: Page;
let taskId: string;

useVisit(DESKTOP);
beforeEach(async () => {
  const { world, ada, home, listId, inside: path } = await openHome({ start: Date.now() });
  call = as(world, ada);
  inside = path;
  await call('PATCH', '/me', { timezone: 'UTC', preferences: { welcomed: true } });
  taskId = (await call('POST', `${inside}/tasks`, { listId, title: 'Paint the fence' })).body.id;
  visit.serve(signedInAs(world.app, ada));
  ({ page } = visit);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${visit.origin}/app/w/${home}/lists/${listId}?task=${taskId}`);
  await page.getByRole('complementary', { name: 'Paint the fence' }).waitFor();
});

const paste = async (text: string) => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+v');
};
const titles = async (): Promise<string[]> =>
  (await call('GET', `${inside}/tasks`)).body.items.map(({ title }: { title: string }) => title);
const items = async (): Promise<string[]> =>
  (await call('GET', `${inside}/tasks/${taskId}`)).body.checklist.map(
    ({ title }: { title: string }) => title,
  );
const said = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();

it('cells of a table become titles, with spaces for what is between them', async () => {
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Quick add' }).focus();
  await paste('Oak\t\t2 m');
  await page.keyboard.press('Enter');
  await paste('Ash\t3 m\r\nElm\t4 m\r\n');
  await page.getByRole('button', { name: '2 tasks' }).click();
  await expect.poll(titles).toEqual(['Paint the fence', 'Oak 2 m', 'Ash 3 m', 'Elm 4 m']);
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').getByRole('heading', { name: 'Paint the fence' }).click();
  await page.getByRole('textbox', { name: 'Title' }).selectText();
  await paste('Paint\tthe gate');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await titles())[0]).toBe('Paint the gate');
  await page.getByLabel('Add an item').focus();
  await paste('Sand\tit');
  await page.keyboard.press('Enter');
  await expect.poll(items).toEqual(['Sand it']);
  await page
    .getByRole('complementary')
    .getByRole('button', { name: /^Labels/ })
    .click();
  await paste('Wood\twork');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () =>
      (await call('GET', `${inside}/labels`)).body.items.map((one: { title: string }) => one.title),
    )
    .toEqual(['Wood work']);
});

it('lines become items of a checklist, taken back as one, and none where not all fit', async () => {
  const field = page.getByLabel('Add an item');
  await field.fill('Buy ');
  await field.press('End');
  await paste('oil\r\n\r\nSand it\n\tPaint it\n');
  await expect.poll(items).toEqual(['Buy oil', 'Sand it', 'Paint it']);
  expect(await field.inputValue()).toBe('');
  await page.getByRole('complementary').getByRole('heading', { name: 'Paint the fence' }).focus();
  await page.keyboard.press('z');
  await expect.poll(items).toEqual([]);
  await field.focus();
  await paste(Array.from({ length: 101 }, (_, index) => `Step ${index}`).join('\n'));
  await said('A checklist has at most 100 items.');
  await paste(`Short\n${'x'.repeat(501)}`);
  await said('An item has at most 500 characters.');
  expect([await field.inputValue(), await items()]).toEqual(['', []]);
});

it('what is cut because it is too long is told', async () => {
  await page.getByRole('textbox', { name: 'Comment' }).focus();
  await paste('x'.repeat(20_000));
  await page.getByRole('textbox', { name: 'Comment' }).press('Control+Enter');
  await expect.poll(async () => (await call('GET', `${inside}/tasks/${taskId}/comments`)).body.total).toBe(1);
  expect(await page.getByText('was cut').count()).toBe(0);
  await page.getByLabel('Description').focus();
  await paste('x'.repeat(50_001));
  await said('What you pasted was cut: there is room for 50,000 characters.');
});

it('a picture, which no text can hold, is told', async () => {
  await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(8, 8);
    canvas.getContext('2d');
    const picture = await canvas.convertToBlob({ type: 'image/png' });
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
  })()`);
  await page.getByRole('textbox', { name: 'Comment' }).focus();
  await page.keyboard.press('Control+v');
  await said('Only text can be pasted here: a link to a file or picture, not the file.');
});
