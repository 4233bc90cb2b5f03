import { useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { now, zone } from '../../shell/clock.ts';
import { workspaces } from '../../shell/frame-view.ts';
import { useItems } from '../../shell/use-items.ts';
import { quoted } from '../../text/quoted.ts';
import { sayWhen } from '../../text/say-dates.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { DialogButtons, TitledDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, useForm } from '../../ui/form.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { choicesOf, Select } from '../../ui/select.tsx';
import { SettingsPage } from './page.tsx';
import { useDraft } from './use-draft.ts';

interface Token {
  id: string;
  title: string;
  role: string;
  workspaceIds: string[] | null;
  lastFour: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

const ROLES = { viewer: 'Viewer: reads', member: 'Member: reads and writes', admin: 'Admin: as an admin' };
const DAYS = { '30': '30 days', '90': '90 days', '365': 'A year' };

const ROLE_NAMES: Record<string, string> = { viewer: 'Viewer', member: 'Member', admin: 'Admin' };

/** The workspaces of a token, by name where there is one. */
function placesOf({ workspaceIds }: Token): string {
  if (workspaceIds === null) return 'all workspaces';
  const [first, second] = workspaceIds;
  if (first === undefined) return 'no workspace';
  if (second !== undefined) return `${workspaceIds.length} workspaces`;
  return workspaces.value.find(({ id }) => id === first)?.title ?? 'a workspace that you left';
}

function endOf({ expiresAt }: Token, say: (at: string) => string): string {
  if (expiresAt === null) return 'without an end';
  return Date.parse(expiresAt) > now.value ? `until ${say(expiresAt)}` : `ended ${say(expiresAt)}`;
}

/** Tokens for programs that work in the person's name. */
export function Tokens() {
  const { items: tokens, isMissing, load, change } = useItems<Token>('/me/tokens');
  const [isMaking, setMaking] = useState(false);
  const [ask, question] = useAsk();
  const revoke = ({ id, title }: Token) =>
    ask({
      title: 'Revoke token',
      yes: 'Revoke',
      words: `What uses ${quoted(title)} can no longer sign in with it.`,
      run: () => void change('DELETE', `/me/tokens/${id}`, `Revoked ${title}`),
    });
  const say = (at: string) => sayWhen(at, zone.value, now.value);
  return (
    <SettingsPage
      title="API tokens"
      note="For programs that work in your name. A token may do at most what its role says, in the workspaces it names."
      tools={
        <Button onClick={() => setMaking(true)} icon="plus">
          New token
        </Button>
      }
    >
      {isMissing && <p class="quiet">Tokens are shown once the server can be reached.</p>}
      {tokens?.length === 0 && (
        <Nothing icon="key">
          No token yet. With one, a script or another program works here without your password.
        </Nothing>
      )}
      <ul class="entries">
        {tokens?.map((token) => (
          <li key={token.id}>
            <div>
              <p class="cut">
                <bdi>{token.title}</bdi> <span class="quiet">…{token.lastFour}</span>
              </p>
              <p class="quiet">
                {ROLE_NAMES[token.role] ?? token.role} · {placesOf(token)} ·{' '}
                {token.lastUsedAt ? `used ${say(token.lastUsedAt)}` : 'never used'} · {endOf(token, say)}
              </p>
            </div>
            <Button class="push" onClick={() => revoke(token)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {question}
      {isMaking && (
        <NewToken
          onClose={() => {
            setMaking(false);
            void load();
          }}
        />
      )}
    </SettingsPage>
  );
}

function NewToken({ onClose }: { onClose(): void }) {
  const draft = useDraft('token', { title: '', role: 'member', place: '', days: '90' });
  const { title, role, place, days } = draft.values;
  const [made, setMade] = useState<string>();
  const [isCopied, setCopied] = useState<boolean>();
  const form = useForm(['title']);
  const save = async () => {
    const body = {
      title,
      role,
      workspaceIds: place === '' ? null : [place],
      expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
    };
    let token: string | undefined;
    await form.send(async () => {
      const reply = await call<{ token: string }>('POST', '/me/tokens', body);
      if (reply.kind === 'ok') {
        token = reply.body.token;
        draft.drop();
      }
      return reply;
    });
    setMade(token);
  };
  return (
    <TitledDialog title="New token" onClose={onClose}>
      {made === undefined ? (
        <Form state={form} onSubmit={save}>
          <Field
            label="Name"
            autocomplete="off"
            autoFocus
            {...form.field('title', title, draft.set('title'))}
          />
          <Select label="Role" value={role} options={choicesOf(ROLES)} onChange={draft.set('role')} />
          <Select
            label="Workspaces"
            value={place}
            options={[
              { value: '', title: 'All' },
              ...workspaces.value.map(({ id, title: words }) => ({ value: id, title: words })),
            ]}
            onChange={draft.set('place')}
          />
          <Select label="Ends after" value={days} options={choicesOf(DAYS)} onChange={draft.set('days')} />
          <div class="line">
            <DialogButtons
              onCancel={() => {
                draft.drop();
                onClose();
              }}
            />
          </div>
        </Form>
      ) : (
        <>
          <p>Copy it now: it is not shown again.</p>
          <p class="secret">{made}</p>
          <p class="quiet" role="status">
            {isCopied === true && 'Copied'}
            {isCopied === false && 'It could not be copied: select it and copy it yourself.'}
          </p>
          <div class="line">
            <Button onClick={() => void copyText(made).then(setCopied)}>Copy</Button>
            <Button class="main push" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      )}
    </TitledDialog>
  );
}
