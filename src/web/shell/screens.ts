import type { ComponentType } from 'preact';
import { Today } from '../screens/days/today.tsx';
import { SignIn } from '../screens/sign-in/sign-in.tsx';
import type { ScreenName } from './addresses.ts';

export interface ScreenProps {
  params: Readonly<Record<string, string>>;
}

type Load = () => Promise<ComponentType<ScreenProps>>;

const list: Load = async () => (await import('../screens/list/list.tsx')).List;

/** What most first visits see, in the file of the start: it is there without another round trip. */
export const STARTING: ReadonlyMap<ScreenName, ComponentType<ScreenProps>> = new Map([
  ['signIn', SignIn],
  ['today', Today],
  ['workspaceToday', Today],
]);

const settings = async () => (await import('../screens/settings/page.tsx')).SettingsIndex;

/** Where each screen comes from; each is a file of its own, loaded when it is opened. */
export const SCREENS: Record<ScreenName, Load> = {
  signIn: async () => SignIn,
  signUp: async () => (await import('../screens/sign-in/sign-up.tsx')).SignUp,
  forgotPassword: async () => (await import('../screens/sign-in/forgot-password.tsx')).ForgotPassword,
  lists: async () => (await import('../screens/lists/lists.tsx')).Lists,
  me: async () => (await import('../screens/me/me.tsx')).MeScreen,
  today: async () => Today,
  upcoming: async () => (await import('../screens/days/upcoming.tsx')).Upcoming,
  mine: async () => (await import('../screens/days/mine.tsx')).Mine,
  notifications: async () => (await import('../screens/notifications/notifications.tsx')).Notifications,
  workspaceToday: async () => Today,
  workspaceUpcoming: async () => (await import('../screens/days/upcoming.tsx')).Upcoming,
  workspaceMine: async () => (await import('../screens/days/mine.tsx')).Mine,
  inbox: list,
  list,
  calendar: async () => (await import('../screens/calendar/calendar.tsx')).Calendar,
  task: async () => (await import('../screens/task/task.tsx')).TaskScreen,
  recurring: async () => (await import('../screens/recurring/recurring.tsx')).Recurring,
  search: async () => (await import('../screens/search/search.tsx')).Search,
  trash: async () => (await import('../screens/trash/trash.tsx')).Trash,
  settingsGeneral: async () => (await import('../screens/settings/general.tsx')).General,
  settingsSpaces: async () => (await import('../screens/settings/spaces.tsx')).Spaces,
  settingsStatuses: async () => (await import('../screens/settings/statuses.tsx')).Statuses,
  settingsLabels: async () => (await import('../screens/settings/labels.tsx')).Labels,
  settingsPeople: async () => (await import('../screens/settings/people.tsx')).People,
  settingsOfWorkspace: settings,
  settings,
  profile: async () => (await import('../screens/settings/profile.tsx')).ProfileScreen,
  security: async () => (await import('../screens/settings/security.tsx')).Security,
  tokens: async () => (await import('../screens/settings/tokens.tsx')).Tokens,
  data: async () => (await import('../screens/settings/data.tsx')).YourData,
};
