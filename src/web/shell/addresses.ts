import { createRouter, fill } from './router.ts';

/** Every address below `/app`, by the name of its screen. `:w` is the id of a workspace. */
const ADDRESSES = {
  signIn: '/sign-in',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  today: '/today',
  upcoming: '/upcoming',
  mine: '/mine',
  lists: '/lists',
  me: '/me',
  notifications: '/notifications',
  workspaceToday: '/w/:w/today',
  workspaceUpcoming: '/w/:w/upcoming',
  workspaceMine: '/w/:w/mine',
  inbox: '/w/:w/inbox',
  list: '/w/:w/lists/:listId',
  calendar: '/w/:w/calendar',
  task: '/w/:w/tasks/:task',
  recurring: '/w/:w/recurring',
  search: '/w/:w/search',
  trash: '/w/:w/trash',
  settingsGeneral: '/w/:w/settings/general',
  settingsSpaces: '/w/:w/settings/spaces',
  settingsStatuses: '/w/:w/settings/statuses',
  settingsLabels: '/w/:w/settings/labels',
  settingsPeople: '/w/:w/settings/people',
  settingsOfWorkspace: '/w/:w/settings',
  settings: '/settings',
  profile: '/settings/profile',
  security: '/settings/security',
  tokens: '/settings/tokens',
  data: '/settings/data',
} as const;

export type ScreenName = keyof typeof ADDRESSES;

/** Those that may be opened without being signed in. */
export const PUBLIC_SCREENS: readonly ScreenName[] = ['signIn', 'signUp', 'forgotPassword'];

export const matchAddress = createRouter<ScreenName>(ADDRESSES);

/** The address of a screen, below `/app`. */
export const addressOf = (name: ScreenName, params?: Readonly<Record<string, string>>): string =>
  fill(ADDRESSES[name], params);

/** Where someone wanted to go, kept in the address of signing in; only an address of our own is taken. */
export const returnTo = (to: string | null): string =>
  to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : addressOf('today');
