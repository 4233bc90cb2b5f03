import { useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { Field } from '../../ui/field.tsx';
import { Form, Submit, useForm } from '../../ui/form.tsx';
import { Alone, EmailField, hrefAside, Mailed } from './alone.tsx';
import { authOptions } from './options.ts';

/** Asking for an account; the mailed link opens it. */
export function SignUp() {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSent, setSent] = useState(false);
  const form = useForm(['name', 'email', 'password']);
  const footer = (
    <p>
      You have an account? <a href={hrefAside('signIn')}>Sign in</a>
    </p>
  );
  if (authOptions.value?.signup === 'closed') {
    return (
      <Alone title="Create an account" footer={footer}>
        <p>New accounts are by invitation here. Ask someone who has one to invite you to a workspace.</p>
      </Alone>
    );
  }
  if (isSent) {
    return (
      <Mailed title="Create an account" footer={footer} onBack={() => setSent(false)}>
        A link is on its way to <strong>{email}</strong>. It opens your account, within 24 hours.
      </Mailed>
    );
  }
  const send = async () => {
    setSent(await form.send(() => call('POST', '/auth/register', { name, email, password })));
  };
  return (
    <Alone title="Create an account" footer={footer}>
      <Form state={form} onSubmit={send}>
        <Field label="Name" autocomplete="name" required autoFocus {...form.field('name', name, setName)} />
        <EmailField {...form.field('email', email, setEmail)} />
        <Field
          label="Password"
          type="password"
          autocomplete="new-password"
          required
          hint="At least 8 characters"
          {...form.field('password', password, setPassword)}
        />
        <Submit>Create account</Submit>
      </Form>
    </Alone>
  );
}
