import { useEffect, useState } from 'preact/hooks';
import { addressOf } from '../../shell/addresses.ts';
import { call } from '../../shell/api.ts';
import { tabStorage } from '../../shell/browser-storage.ts';
import { navigate, query } from '../../shell/navigation.ts';
import { isCookieRejected, signIn } from '../../shell/session.ts';
import { session } from '../../shell/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, Submit, useForm, wordsFor } from '../../ui/form.tsx';
import { Alone, EmailField, hrefAside, Mailed } from './alone.tsx';
import { authOptions } from './options.ts';
import { leaveForGoogle, leaveForTelegram, type Proof, takeReturn } from './providers.ts';

/** Whom a code was mailed to: a phone may throw the page away while one looks it up. */
const CODE_FOR = 'errand.code-for';

type Step = 'password' | 'code' | { telegram: Record<string, unknown> } | 'mailed';

/** Signing in by password, by a mailed code, by Google and by Telegram. */
export function SignIn() {
  const [codeFor] = useState(() => tabStorage.get(CODE_FOR));
  const [step, setStep] = useState<Step>(codeFor === null ? 'password' : 'code');
  const [email, setEmail] = useState(codeFor ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const form = useForm(['email', 'password', 'code']);
  const to = query.value.get('to');

  const isKnown = session.value.kind !== 'unknown';
  // Only once, as what came back is spent by reading it, and where nobody is signed in: else it is to be linked.
  useEffect(() => {
    const returned = isKnown ? takeReturn('sign-in') : undefined;
    if (!returned) return;
    if (returned.proof === 'invalid')
      form.fail('That sign-in was not begun here, or was called off. Try again.');
    else void signInBy(returned.proof, returned.to);
  }, [isKnown]);

  const signInBy = async (proof: Proof, wanted: string | null) => {
    if (wanted !== null)
      navigate(`${addressOf('signIn')}?${new URLSearchParams({ to: wanted })}`, { replace: true });
    let isNew = false;
    await form.send(
      () => signIn(`/auth/login/${proof.provider}`, proof.body),
      (failure) => {
        isNew = failure.kind === 'error' && failure.issues.some(({ path }) => path === 'email');
        return undefined;
      },
    );
    if (isNew && proof.provider === 'telegram') setStep({ telegram: proof.body });
  };

  // Nothing of it is left for who signs in here next.
  useEffect(() => () => tabStorage.set(CODE_FOR, null), []);

  const byPassword = () =>
    form.send(() => signIn('/auth/login', { email, password }), wordsFor(401, 'Wrong email or password.'));
  const askForCode = async () => {
    if (await form.send(() => call('POST', '/auth/login/code', { email }))) {
      setCode('');
      setStep('code');
      tabStorage.set(CODE_FOR, email);
    }
  };
  const byCode = () =>
    form.send(
      () => signIn('/auth/login/code/confirm', { email, code: code.trim() }),
      wordsFor(401, 'This code is wrong or has expired.'),
    );

  const emailField = <EmailField autoFocus {...form.field('email', email, setEmail)} />;

  if (step === 'mailed') {
    return (
      <Mailed title="Sign in" footer={<Ways />}>
        A link is on its way to <strong>{email}</strong>. It opens your account, and from then on Telegram
        signs you in.
      </Mailed>
    );
  }
  if (typeof step === 'object') {
    const { telegram } = step;
    return (
      <Alone title="Sign in" footer={<Ways />}>
        <p>Your Telegram account is new here. With an email address it becomes an account of Errand.</p>
        <Form
          state={form}
          onSubmit={async () => {
            const isDone = await form.send(() => signIn('/auth/login/telegram', { ...telegram, email }));
            if (isDone) setStep('mailed');
          }}
        >
          {emailField}
          <Submit>Create account</Submit>
        </Form>
      </Alone>
    );
  }
  if (step === 'code') {
    return (
      <Alone title="Sign in" footer={<Ways />}>
        <p role="status">
          If <strong>{email}</strong> has an account, a code of six digits is on its way. It works for 10
          minutes.
        </p>
        <Form state={form} onSubmit={byCode}>
          <Field
            label="Code"
            inputMode="numeric"
            autocomplete="one-time-code"
            required
            autoFocus
            {...form.field('code', code, setCode)}
          />
          <Submit>Sign in</Submit>
          <Button
            class="plain"
            onClick={() => {
              form.fail('');
              setStep('password');
              tabStorage.set(CODE_FOR, null);
            }}
          >
            Back
          </Button>
        </Form>
      </Alone>
    );
  }
  const problem = isCookieRejected.value
    ? 'To stay signed in, this browser must accept cookies of this site.'
    : form.problem;
  return (
    <Alone title="Sign in" footer={<Ways />}>
      <Form state={{ ...form, problem }} onSubmit={byPassword}>
        {emailField}
        <Field
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          {...form.field('password', password, setPassword)}
        />
        <Submit>Sign in</Submit>
        <div class="line">
          <button type="button" class="link" onClick={askForCode}>
            Email me a code
          </button>
          <a class="push" href={hrefAside('forgotPassword')}>
            Forgot password?
          </a>
        </div>
        <Providers to={to} />
      </Form>
    </Alone>
  );
}

function Providers({ to }: { to: string | null }) {
  const { google = null, telegram = null } = authOptions.value ?? {};
  if (!google && !telegram) return null;
  return (
    <>
      <p class="or">or</p>
      <div class="line others">
        {google && <Button onClick={() => leaveForGoogle(google.clientId, 'sign-in', to)}>Google</Button>}
        {telegram && (
          <Button onClick={() => leaveForTelegram(telegram.botId, 'sign-in', to)}>Telegram</Button>
        )}
      </div>
    </>
  );
}

/** The other way in; where sign-up is closed there is none. */
function Ways() {
  if (authOptions.value?.signup === 'closed') return <p>New accounts are by invitation here.</p>;
  return (
    <p>
      New here? <a href={hrefAside('signUp')}>Create an account</a>
    </p>
  );
}
