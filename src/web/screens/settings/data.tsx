import { useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { basePaths } from '../../shell/navigation.ts';
import { leaveNotice } from '../../shell/notice.ts';
import { endSession, hasPassword } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButtons, TitledDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, useForm, wordsFor } from '../../ui/form.tsx';
import { Import } from './import.tsx';
import { Part, SettingsPage } from './page.tsx';

/** Lets the browser save the document as it comes. */
function download(): void {
  const link = document.createElement('a');
  link.href = `${basePaths.api}/account/export`;
  link.download = 'errand-export.json';
  link.click();
}

/** Taking everything along, and leaving. */
export function YourData() {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <SettingsPage title="Your data">
      <Part
        title="Export"
        note="Everything of your account and of the workspaces you own, as one JSON document."
      >
        <div class="line">
          <Button onClick={download} icon="download">
            Export
          </Button>
        </div>
      </Part>
      <Import />
      <Part
        title="Deletion"
        note="Workspaces you own with others go to their longest-standing admin or member; the rest is deleted for good."
      >
        <div class="line">
          <Button class="danger" onClick={() => setDeleting(true)}>
            Delete account
          </Button>
        </div>
      </Part>
      {isDeleting && <DeleteAccount onClose={() => setDeleting(false)} />}
    </SettingsPage>
  );
}

function DeleteAccount({ onClose }: { onClose(): void }) {
  const [proof, setProof] = useState('');
  const has = hasPassword.value;
  const field = has ? 'password' : 'email';
  const form = useForm([field]);
  const send = () =>
    form.send(
      () =>
        endSession(async () => {
          const reply = await call('DELETE', '/auth/me', { [field]: proof });
          if (reply.kind === 'ok') leaveNotice('Your account is deleted.');
          return reply;
        }),
      wordsFor(403, `That ${field} is wrong.`),
    );
  return (
    <TitledDialog title="Delete account" onClose={onClose}>
      <p>This cannot be taken back. {has ? 'Your password' : 'Your email address'} confirms it.</p>
      <Form state={form} onSubmit={send}>
        <Field
          label={has ? 'Password' : 'Email'}
          type={field}
          autocomplete={has ? 'current-password' : 'email'}
          autoFocus
          {...form.field(field, proof, setProof)}
        />
        <div class="line">
          <DialogButtons onCancel={onClose} action="Delete account" isDanger />
        </div>
      </Form>
    </TitledDialog>
  );
}
