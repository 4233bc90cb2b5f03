import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { App } from '../../src/app.ts';
import { type FakeData, fakeApi, type SeenRequest } from '../web/fake-api.ts';
import type { Scene } from './scenes.ts';
import { startVisit, type Visit } from './visit.ts';

interface WebVisit extends Visit {
  /** Every request to the API. */
  seen: SeenRequest[];
  open(address: string): Promise<void>;
}

/** A person at the web client, before a server whose API is the fake one. */
async function visitClient(
  browser: Browser,
  app: Pick<App, 'fetch'>,
  data: FakeData,
  options: BrowserContextOptions = {},
): Promise<WebVisit> {
  const seen: SeenRequest[] = [];
  const visit = await startVisit(browser, fakeApi(app, data, seen), options);
  return {
    ...visit,
    seen,
    open: async (address) => {
      await visit.page.goto(`${visit.origin}/app${address}`);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
    },
  };
}

/** A scene, ready to be looked at. */
export async function openScene(
  browser: Browser,
  app: Pick<App, 'fetch'>,
  scene: Scene,
  data: FakeData,
  options: BrowserContextOptions = {},
): Promise<WebVisit> {
  scene.given?.(data);
  const visit = await visitClient(browser, app, data, options);
  await visit.open(scene.address);
  await visit.page.waitForLoadState('networkidle');
  await scene.after?.(visit.page);
  return visit;
}
