import { addressOf, type ScreenName } from './addresses.ts';
import { workspace } from './frame-view.ts';
import { navigate } from './navigation.ts';

type Setting = readonly [title: string, screen: ScreenName];

const OF_WORKSPACE: readonly Setting[] = [
  ['General', 'settingsGeneral'],
  ['Name and key', 'settingsGeneral'],
  ['Spaces and lists', 'settingsSpaces'],
  ['New list', 'settingsSpaces'],
  ['Statuses', 'settingsStatuses'],
  ['Labels', 'settingsLabels'],
  ['People', 'settingsPeople'],
  ['Invite people', 'settingsPeople'],
  ['Hand over or leave', 'settingsGeneral'],
];
const OF_ACCOUNT: readonly Setting[] = [
  ['Profile', 'profile'],
  ['Time zone and week', 'profile'],
  ['Single-letter shortcuts', 'profile'],
  ['Security', 'security'],
  ['Password', 'security'],
  ['Email address', 'security'],
  ['Linked accounts', 'security'],
  ['Sessions', 'security'],
  ['API tokens', 'tokens'],
  ['Your data', 'data'],
  ['Export', 'data'],
  ['Delete account', 'data'],
];

/** Every setting, each leading to the page that has it. */
export function settingEntries() {
  const w = workspace.value?.id;
  const settings = w === undefined ? OF_ACCOUNT : [...OF_WORKSPACE, ...OF_ACCOUNT];
  return settings.map(([title, screen]) => ({
    id: `setting ${title}`,
    group: 'Commands',
    title: `Settings: ${title}`,
    icon: 'settings' as const,
    run: () => navigate(addressOf(screen, { w: w ?? '' })),
  }));
}
