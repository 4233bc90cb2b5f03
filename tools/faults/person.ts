import { call, type Mailbox, mailThat } from './server.ts';

/** Someone signed in, whose name tells what was acknowledged. */
export interface Person {
  email: string;
  password: string;
  access: string;
  refresh: string;
  name: string;
  workspaceId: string;
  listId: string;
}

const TOKEN = /[\w-]{43}/;

/** The token of the sign-up mail to an address, which may be still to come. */
export async function signupTokenTo(mailbox: Mailbox, email: string): Promise<string> {
  const { text } = await mailThat(mailbox, (mail) => mail.to === email && TOKEN.test(mail.text));
  return TOKEN.exec(text)?.[0] ?? '';
}

/** Where someone new keeps their tasks; rejects when the connection breaks. */
export async function homeOf(base: string, token: string): Promise<{ workspaceId: string; listId: string }> {
  const idOfFirst = async (path: string): Promise<string> => {
    const response = await call(base, 'GET', path, { token });
    if (response?.status !== 200) throw new Error(`${path} got ${response?.status}`);
    return response.body.items[0].id;
  };
  const workspaceId = await idOfFirst('/me/workspaces');
  return { workspaceId, listId: await idOfFirst(`/workspaces/${workspaceId}/lists`) };
}

/** Signs someone up through the API and the mailed token. */
export async function signUp(base: string, mailbox: Mailbox): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = `password of ${email}`;
  const name = 'First';
  const registered = await call(base, 'POST', '/auth/register', { body: { email, password, name } });
  if (registered?.status !== 201) throw new Error(`A sign-up got ${registered?.status}`);
  const token = await signupTokenTo(mailbox, email);
  const confirmed = await call(base, 'POST', '/auth/register/confirm', { body: { token } });
  if (confirmed?.status !== 201) throw new Error(`A confirmation got ${confirmed?.status}`);
  const { accessToken: access, refreshToken: refresh } = confirmed.body;
  return { email, password, access, refresh, name, ...(await homeOf(base, access)) };
}
