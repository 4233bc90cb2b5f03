import { useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { Form, Submit, useForm } from '../../ui/form.tsx';
import { Alone, EmailField, hrefAside, Mailed } from './alone.tsx';

/** Asking for the link that sets a new password. */
export function ForgotPassword() {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const form = useForm(['email']);
  const footer = (
    <p>
      You know it after all? <a href={hrefAside('signIn')}>Sign in</a>
    </p>
  );
  if (isSent) {
    return (
      <Mailed title="Reset your password" footer={footer} onBack={() => setSent(false)}>
        If <strong>{email}</strong> has an account, a link is on its way. It works for 30 minutes.
      </Mailed>
    );
  }
  const send = async () => {
    setSent(await form.send(() => call('POST', '/auth/password/reset/request', { email })));
  };
  return (
    <Alone title="Reset your password" footer={footer}>
      <Form state={form} onSubmit={send}>
        <EmailField
          autoFocus
          hint="A link to set a new password is mailed there."
          {...form.field('email', email, setEmail)}
        />
        <Submit>Send link</Submit>
      </Form>
    </Alone>
  );
}
