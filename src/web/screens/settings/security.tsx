import { useEffect, useState } from 'preact/hooks';
import type { Me } from '../../../auth/schema.ts';
import type { Session } from '../../../sessions/schema.ts';
import { call } from '../../shell/api.ts';
import { now, zone } from '../../shell/clock.ts';
import { openSignOut } from '../../shell/overlays.tsx';
import { hasPassword, me, takeProfile } from '../../shell/session.ts';
import { showOutcome, showToast } from '../../shell/toasts.ts';
import { useItems } from '../../shell/use-items.ts';
import { sayWhen } from '../../text/say-dates.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SaveLine, useForm, wordsFor } from '../../ui/form.tsx';
import { authOptions, loadOptions } from '../sign-in/options.ts';
import { leaveForGoogle, leaveForTelegram, type Proof, takeReturn } from '../sign-in/providers.ts';
import { Part, SettingsPage } from './page.tsx';
import { useDraft } from './use-draft.ts';

type Provider = Proof['provider'];
const TITLES: Record<Provider, string> = { google: 'Google', telegram: 'Telegram' };

/** Password, address, linked accounts, sessions. */
export function Security() {
  return (
    <SettingsPage title="Security">
      <PasswordForm />
      <EmailForm />
      <Linked />
      <Sessions />
      <Part title="This device" note="Signing out removes everything that Errand keeps on it.">
        <div class="line">
          <Button onClick={openSignOut} icon="sign-out">
            Sign out
          </Button>
        </div>
      </Part>
    </SettingsPage>
  );
}

async function reloadProfile(): Promise<void> {
  const reply = await call<Me>('GET', '/me');
  if (reply.kind === 'ok') await takeProfile(reply.body);
}

function PasswordForm() {
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const form = useForm(['currentPassword', 'newPassword']);
  const has = hasPassword.value;
  const save = async () => {
    const body = { newPassword: next, ...(has && { currentPassword: present }) };
    const isDone = await form.send(
      () => call('POST', '/me/password', body),
      wordsFor(403, 'The current password is wrong.'),
    );
    if (!isDone) return;
    setPresent('');
    setNext('');
    showToast('Password saved; other sessions were ended');
    await reloadProfile();
  };
  return (
    <Part
      title="Password"
      note={has ? undefined : 'There is none yet: you sign in by mailed codes, or by a linked account.'}
    >
      <Form state={form} onSubmit={save}>
        {has && (
          <Field
            label="Current password"
            type="password"
            autocomplete="current-password"
            {...form.field('currentPassword', present, setPresent)}
          />
        )}
        <Field
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters"
          {...form.field('newPassword', next, setNext)}
        />
        <SaveLine />
      </Form>
    </Part>
  );
}

function EmailForm() {
  const draft = useDraft('email', { email: '' });
  const { email } = draft.values;
  const form = useForm(['newEmail']);
  const save = async () => {
    const isDone = await form.send(() => call('POST', '/auth/email/change/request', { newEmail: email }));
    if (!isDone) return;
    showToast(`A link is on its way to ${email}`);
    draft.drop();
  };
  return (
    <Part
      title="Email"
      note={
        <>
          Now <bdi>{me.value?.email}</bdi>. The new address is used once its link was opened.
        </>
      }
    >
      <Form state={form} onSubmit={save}>
        <Field
          label="New email"
          type="email"
          autocomplete="off"
          {...form.field('newEmail', email, draft.set('email'))}
        />
        <SaveLine />
      </Form>
    </Part>
  );
}

/** Accounts elsewhere that sign in here: those that are linked, and those that this server knows of. */
function Linked() {
  const person = me.value;
  const [ask, question] = useAsk();
  useEffect(() => {
    void loadOptions();
    const returned = takeReturn('link');
    if (returned?.proof === 'invalid') showToast('That was not begun here, or was called off. Try again.');
    else if (returned) void link(returned.proof);
  }, []);
  const { google = null, telegram = null } = authOptions.value ?? {};
  const send = async (method: string, provider: Provider, words: string, body?: object) => {
    showOutcome(await call(method, `/me/${provider}`, body), words);
    await reloadProfile();
  };
  const unlink = (provider: Provider, title: string) =>
    ask({
      title: `Unlink ${title}`,
      words: `${title} will not sign you in here until you link it again.`,
      run: () => void send('DELETE', provider, `Unlinked ${title}`),
    });
  const link = ({ provider, body }: Proof) => send('POST', provider, `Linked ${TITLES[provider]}`, body);
  const ways = [
    ['google', person?.googleLinked, google && (() => leaveForGoogle(google.clientId, 'link'))],
    ['telegram', person?.telegramLinked, telegram && (() => leaveForTelegram(telegram.botId, 'link'))],
  ] as const;
  const shown = ways.filter(([, isLinked, leave]) => isLinked || leave);
  if (shown.length === 0) return null;
  return (
    <Part title="Linked accounts" note="Each of them signs you in here.">
      <ul class="entries">
        {shown.map(([provider, isLinked, leave]) => {
          const title = TITLES[provider];
          return (
            <li key={provider}>
              <div>
                <p>{title}</p>
                <p class="quiet">{isLinked ? 'Linked' : 'Not linked'}</p>
              </div>
              {isLinked ? (
                <Button class="push" onClick={() => unlink(provider, title)}>
                  Unlink {title}
                </Button>
              ) : (
                <Button class="push" onClick={() => leave?.()}>
                  Link {title}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {question}
    </Part>
  );
}

function Sessions() {
  const { items = [], isMissing, change } = useItems<Session>('/me/sessions');
  const sessions = [...items].sort((a, b) => Number(b.current) - Number(a.current));
  const [ask, question] = useAsk();
  const end = (path: string, title: string, which: string) =>
    ask({
      title,
      yes: 'End',
      words: `${which} will have to sign in again.`,
      run: () => void change('DELETE', path, 'Ended'),
    });
  return (
    <Part
      title="Sessions"
      tools={
        sessions.length > 1 && (
          <Button class="plain" onClick={() => end('/me/sessions', 'End all others', 'Your other devices')}>
            End all others
          </Button>
        )
      }
    >
      {isMissing && <p class="quiet">Sessions are shown once the server can be reached.</p>}
      <ul class="entries">
        {sessions.map((session) => (
          <li key={session.id}>
            <div>
              <p class="cut">{deviceOf(session.userAgent)}</p>
              <p class="quiet">
                {session.current
                  ? 'This session'
                  : `Last used ${sayWhen(session.lastUsedAt, zone.value, now.value)}`}
                {session.ip && ` · ${session.ip}`}
              </p>
            </div>
            {!session.current && (
              <Button
                class="push"
                onClick={() => end(`/me/sessions/${session.id}`, 'End session', deviceOf(session.userAgent))}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      {question}
    </Part>
  );
}

/** `Firefox on Linux`, else what the browser said of itself. */
function deviceOf(userAgent: string): string {
  if (userAgent === '') return 'Unknown device';
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Android|iPhone|iPad|Windows|Mac OS|Linux)/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };
  if (!browser || !system) return userAgent.slice(0, 60);
  return `${names[browser] ?? browser} on ${names[system] ?? system}`;
}
