import type { Page } from 'playwright-core';
import type { FakeData } from '../web/fake-api.ts';

/** A screen of the web client as it can be looked at and examined. */
export interface Scene {
  name: string;
  /** Below `/app`. */
  address: string;
  /** What the server has, where it is not the studio's. */
  given?(data: FakeData): void;
  /** What is done before it is looked at. */
  after?(page: Page): Promise<void>;
}

const signedOut = (data: FakeData) => {
  data.user = undefined;
};
const press = (key: string) => async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press(key);
  await page.getByRole('dialog').waitFor();
};

/** Every screen, and every dialog of the shell. */
export const SCENES: readonly Scene[] = [
  { name: 'sign-in', address: '/sign-in', given: signedOut },
  {
    name: 'sign-in-providers',
    address: '/sign-in',
    given: (data) => {
      signedOut(data);
      data.options = {
        signup: 'closed',
        google: { clientId: 'client' },
        telegram: { botName: 'bot', botId: '1' },
        mail: 'smtp',
      };
    },
  },
  {
    name: 'sign-in-wrong',
    address: '/sign-in',
    given: signedOut,
    after: async (page) => {
      await page.getByLabel('Email', { exact: true }).fill('mara@kanal.example');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Wrong email or password.').waitFor();
    },
  },
  {
    name: 'sign-in-code',
    address: '/sign-in',
    given: (data) => {
      signedOut(data);
      data.replies['POST /api/auth/login/code'] = { status: 200, body: { message: 'Sent' } };
    },
    after: async (page) => {
      await page.getByLabel('Email', { exact: true }).fill('mara@kanal.example');
      await page.getByRole('button', { name: 'Email me a code' }).click();
      await page.getByLabel('Code', { exact: true }).waitFor();
    },
  },
  { name: 'sign-up', address: '/sign-up', given: signedOut },
  { name: 'forgot-password', address: '/forgot-password', given: signedOut },
  { name: 'frame', address: '/today' },
  {
    name: 'frame-offline',
    address: '/today',
    given: (data) => {
      data.unread = 4;
      data.replies['GET /api/me/workspaces'] = { status: 503, body: { error: 'x', message: 'x' } };
    },
  },
  { name: 'lists', address: '/lists' },
  { name: 'me', address: '/me' },
  { name: 'not-found', address: '/nowhere' },
  { name: 'palette', address: '/today', after: press('Control+k') },
  {
    name: 'palette-found',
    address: '/today',
    after: async (page) => {
      await press('Control+k')(page);
      await page.keyboard.type('in');
    },
  },
  { name: 'keys', address: '/today', after: press('?') },
  {
    name: 'workspace-menu',
    address: '/today',
    after: async (page) => {
      const button = page.getByRole('button', { name: 'Kanal Studio' });
      if (await button.isVisible()) await button.click();
    },
  },
];
