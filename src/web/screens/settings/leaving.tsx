import { useState } from 'preact/hooks';
import { addressOf } from '../../shell/addresses.ts';
import { call } from '../../shell/api.ts';
import { roleIn, workspaces } from '../../shell/frame-view.ts';
import { navigate } from '../../shell/navigation.ts';
import { hasPassword } from '../../shell/session.ts';
import { useUserData } from '../../shell/store.ts';
import { showOutcome, showToast } from '../../shell/toasts.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogButtons, TitledDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, useForm, wordsFor } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { Part } from './page.tsx';

/** Leaving a workspace; handing it over and deleting it, for its owner. */
export function Leaving({ w }: { w: string }) {
  const { store, userId } = useUserData();
  const [isHandingOver, setHandingOver] = useState(false);
  const [ask, question] = useAsk();
  const found = workspaces.value.find(({ id }) => id === w);
  if (!found) return null;
  const { title } = found;
  const isOwner = found.role === 'owner';
  const end = async (path: string, words: string) => {
    if (!showOutcome(await call('DELETE', path), words)) return;
    store.pullNow(w);
    navigate(addressOf('today'));
  };
  const askToLeave = () =>
    ask({
      title: 'Leave',
      words: `You will no longer see ${title}. Someone has to invite you to come back.`,
      run: () => void end(`/workspaces/${w}/members/${userId}`, `You left ${title}`),
    });
  const askToDelete = () =>
    ask({
      title: 'Delete workspace',
      words: `${title} and all its lists and tasks cannot be brought back afterwards.`,
      run: () => void end(`/workspaces/${w}`, `Deleted ${title}`),
    });
  const note = isOwner
    ? 'An owner who wants to leave hands the workspace over first, and is an admin then.'
    : 'Your open tasks become no one’s, and someone has to invite you to come back.';
  return (
    <Part title={isOwner ? 'Ownership' : 'Leaving'} note={note}>
      <div class="line wraps">
        {isOwner ? (
          <>
            <Button onClick={() => setHandingOver(true)}>Hand over</Button>
            <Button class="danger" onClick={askToDelete}>
              Delete workspace
            </Button>
          </>
        ) : (
          <Button onClick={askToLeave}>Leave</Button>
        )}
      </div>
      {question}
      {isHandingOver && <HandOver w={w} onClose={() => setHandingOver(false)} />}
    </Part>
  );
}

/** Asks who becomes the owner, and for the password of who is. */
export function HandOver({ w, to, onClose }: { w: string; to?: string; onClose(): void }) {
  const { store, membersIn, userId } = useUserData();
  const others = membersIn(w).rows.filter((member) => member.userId !== userId);
  const [chosen, setChosen] = useState(to ?? others[0]?.userId ?? '');
  const [password, setPassword] = useState('');
  const form = useForm(['password']);
  const has = hasPassword.value;
  // What was just sent may be heard of before its response.
  const isOwner = roleIn(w) === 'owner' || form.isSending;
  const save = async () => {
    const body = { role: 'owner', ...(has && { password }) };
    const isDone = await form.send(
      () => call('PATCH', `/workspaces/${w}/members/${chosen}`, body),
      has ? wordsFor(403, 'The password is wrong.') : undefined,
    );
    if (!isDone) return;
    const name = others.find((member) => member.userId === chosen)?.name ?? '';
    onClose();
    store.pullNow(w);
    showToast(`${name} is the owner now`);
  };
  return (
    <TitledDialog title="Hand over" onClose={onClose}>
      {!isOwner || others.length === 0 ? (
        <>
          <p>
            {isOwner
              ? 'There is no one else yet. Invite someone first.'
              : 'It was handed over meanwhile: you are not the owner any more.'}
          </p>
          <div class="line">
            <Button class="push" onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      ) : (
        <Form state={form} onSubmit={save}>
          <p class="quiet">
            The new owner can delete the workspace and hand it over. You stay as an admin. Both of you are
            told by mail.
          </p>
          <Select
            label="New owner"
            value={chosen}
            options={others.map((member) => ({ value: member.userId, title: member.name }))}
            onChange={setChosen}
          />
          {has && (
            <Field
              label="Password"
              type="password"
              autocomplete="current-password"
              {...form.field('password', password, setPassword)}
            />
          )}
          <div class="line">
            <DialogButtons onCancel={onClose} action="Hand over" />
          </div>
        </Form>
      )}
    </TitledDialog>
  );
}
