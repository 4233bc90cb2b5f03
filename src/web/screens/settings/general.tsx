import type { Workspace } from '../../data/rows.ts';
import { call } from '../../shell/api.ts';
import { isAdminIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { Field } from '../../ui/field.tsx';
import { Form, SaveLine, useForm } from '../../ui/form.tsx';
import { Leaving } from './leaving.tsx';
import { ONLY_ADMINS, SettingsPage } from './page.tsx';
import { useDraft } from './use-draft.ts';

/** A workspace's name and key; leaving it, handing it over, deleting it. */
export function General({ params }: ScreenProps) {
  const w = params.w ?? '';
  const { store } = useUserData();
  const row = store.view.signal('workspace', w).value;
  return (
    <SettingsPage title="General" w={w} note={!isAdminIn(w) && ONLY_ADMINS}>
      {row && <Naming key={w} row={row} />}
      <Leaving w={w} />
    </SettingsPage>
  );
}

function Naming({ row }: { row: Workspace }) {
  const { store } = useUserData();
  const w = row.id;
  const isAdmin = isAdminIn(w);
  const draft = useDraft(`workspace ${w}`, { title: row.title, key: row.key });
  const { title, key } = draft.values;
  const form = useForm(['title', 'key']);
  const save = async () => {
    const body = { title, ...(key !== row.key && { key }) };
    if (!(await form.send(() => call('PATCH', `/workspaces/${w}`, body)))) return;
    draft.saved();
    showToast('Saved');
    store.pullNow(w);
  };
  return (
    <Form state={form} onSubmit={save}>
      <Field
        label="Name"
        autocomplete="off"
        disabled={!isAdmin}
        {...form.field('title', title, draft.set('title'))}
      />
      <Field
        label="Key"
        autocomplete="off"
        disabled={!isAdmin}
        hint={`Two to six letters before the numbers of tasks: ${key || row.key}-12`}
        {...form.field('key', key, (text) => draft.set('key')(text.toUpperCase()))}
      />
      {isAdmin && <SaveLine draft={draft} />}
    </Form>
  );
}
