import { sentenceOf } from '../../shell/api.ts';
import { weekStart, zone } from '../../shell/clock.ts';
import { singleLetters } from '../../shell/commands.ts';
import { savePreferences, saveProfile } from '../../shell/preferences.ts';
import { me } from '../../shell/session.ts';
import { THEMES } from '../../shell/stored-theme.ts';
import { chooseTheme, theme } from '../../shell/theme.ts';
import { showToast } from '../../shell/toasts.ts';
import { WEEKDAYS } from '../../text/days.ts';
import { WEEKDAY_NAMES } from '../../text/say-dates.ts';
import { Field } from '../../ui/field.tsx';
import { Form, SaveLine, useForm } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { Part, SettingsPage } from './page.tsx';
import { useDraft } from './use-draft.ts';

const THEME_NAMES = { system: 'As the system', light: 'Light', dark: 'Dark' };

const zonesKnown = (present: string): string[] => {
  const all = Intl.supportedValuesOf('timeZone');
  return [...new Set([present, 'UTC', ...all])].sort();
};

/** Name, time zone, week; how the client looks and listens. */
export function ProfileScreen() {
  const person = me.value;
  const draft = useDraft('profile', {
    name: person?.name ?? '',
    timezone: zone.value,
    weekStart: weekStart.value as string,
  });
  const { name, timezone } = draft.values;
  const form = useForm(['name']);
  const save = async () => {
    if (!(await form.send(() => saveProfile(draft.values)))) return;
    draft.saved();
    showToast('Saved');
  };
  const toggleLetters = async () => {
    const reply = await savePreferences({ singleLetters: !singleLetters.value });
    if (reply.kind !== 'ok') showToast(sentenceOf(reply));
  };
  return (
    <SettingsPage title="Profile">
      <Form state={form} onSubmit={save}>
        <Field label="Name" autocomplete="name" {...form.field('name', name, draft.set('name'))} />
        <Select
          label="Time zone"
          value={timezone}
          options={zonesKnown(timezone).map((one) => ({ value: one, title: one.replaceAll('_', ' ') }))}
          onChange={draft.set('timezone')}
        />
        <Select
          label="First day of the week"
          value={draft.values.weekStart}
          options={WEEKDAYS.map((day, index) => ({ value: day, title: WEEKDAY_NAMES[index] ?? day }))}
          onChange={draft.set('weekStart')}
        />
        <SaveLine draft={draft} />
      </Form>
      <Part title="Look" note="On this device only.">
        <Select
          label="Theme"
          value={theme.value}
          options={THEMES.map((one) => ({ value: one, title: THEME_NAMES[one] }))}
          onChange={(chosen) => chooseTheme(THEMES.find((one) => one === chosen) ?? 'system')}
        />
      </Part>
      <Part title="Keys" note="Press ? on any screen to see the keys that apply there.">
        <button
          type="button"
          role="switch"
          class="switch-line"
          aria-checked={singleLetters.value}
          aria-describedby="single-letters"
          onClick={toggleLetters}
        >
          <span>
            <span class="name">Single-letter shortcuts</span>
          </span>
          <span class="switch-mark push" aria-hidden="true" />
        </button>
        <p class="quiet" id="single-letters">
          When off, only the arrows and keys with Ctrl or Alt work.
        </p>
      </Part>
    </SettingsPage>
  );
}
