import { useState } from 'preact/hooks';
import type { Invitation } from '../../../workspaces/schema.ts';
import type { Member, Role } from '../../data/rows.ts';
import { call } from '../../shell/api.ts';
import { now, zone } from '../../shell/clock.ts';
import { isAdminIn, roleIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { showOutcome, showToast } from '../../shell/toasts.ts';
import { useItems } from '../../shell/use-items.ts';
import { sayInstant, sayWhen } from '../../text/say-dates.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Cut } from '../../ui/cut.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, Submit, useForm } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MenuButton, type MenuItem, MoreButton } from '../../ui/menu.tsx';
import { Select } from '../../ui/select.tsx';
import { HandOver } from './leaving.tsx';
import { Part, SettingsPage } from './page.tsx';
import { useDraft } from './use-draft.ts';

const ROLES: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };
const GIVEN: readonly Role[] = ['admin', 'member', 'viewer'];

/** Who is in a workspace, in which role, and who was invited. */
export function People({ params }: ScreenProps) {
  const w = params.w ?? '';
  const { store, membersIn, userId } = useUserData();
  const members = membersIn(w);
  members.revision.value;
  const isAdmin = isAdminIn(w);
  const [ask, question] = useAsk();
  const [sent, setSent] = useState(0);
  const [nextOwner, setNextOwner] = useState<string>();
  const change = async (member: Member, next: Role) => {
    const reply = await call('PATCH', `/workspaces/${w}/members/${member.userId}`, { role: next });
    if (showOutcome(reply, `${member.name}: ${ROLES[next]}`)) store.pullNow(w);
  };
  const remove = async (member: Member) => {
    const reply = await call('DELETE', `/workspaces/${w}/members/${member.userId}`);
    if (showOutcome(reply, `Removed ${member.name}`)) store.pullNow(w);
  };
  const askToRemove = (member: Member) =>
    ask({
      title: 'Remove',
      words: `${member.name} no longer sees this workspace; their open tasks become no one's.`,
      run: () => void remove(member),
    });
  const menuOf = (member: Member): MenuItem[] => {
    const items: MenuItem[] = [];
    if (roleIn(w) === 'owner')
      items.push({ title: 'Hand over to them', icon: 'key', run: () => setNextOwner(member.userId) });
    items.push({ title: 'Remove', icon: 'trash', isDanger: true, run: () => askToRemove(member) });
    return items;
  };
  return (
    <SettingsPage
      title="People"
      w={w}
      note="Viewers read. Members also write tasks, lists and series. Admins also manage people, statuses and the workspace's name. The owner can also delete it or hand it over."
    >
      {isAdmin && <InviteForm w={w} onSent={() => setSent(sent + 1)} />}
      <table class="people">
        <caption class="hidden">People</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col" class="wide">
              Since
            </th>
            <th scope="col">
              <span class="hidden">More</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.rows.map((member) => {
            const isFixed = !isAdmin || member.role === 'owner' || member.userId === userId;
            return (
              <tr key={member.userId}>
                <td>
                  <div class="person">
                    <Avatar id={member.userId} name={member.name} large isDecoration />
                    <div class="cut">
                      <p class="line">
                        <Cut>{member.name}</Cut> {member.userId === userId && <span class="quiet">you</span>}
                      </p>
                      <p class="quiet cut">{member.email}</p>
                    </div>
                  </div>
                </td>
                <td>
                  {isFixed ? (
                    <span class="role">{ROLES[member.role]}</span>
                  ) : (
                    <MenuButton
                      class="value role"
                      label={`Role: ${ROLES[member.role]}`}
                      items={GIVEN.map((one) => ({
                        title: ROLES[one],
                        isChosen: one === member.role,
                        run: () => void change(member, one),
                      }))}
                    >
                      {ROLES[member.role]}
                      <Icon name="down" small />
                    </MenuButton>
                  )}
                </td>
                <td class="wide quiet">
                  {member.joinedAt && (
                    <time dateTime={member.joinedAt}>
                      {sayInstant(member.joinedAt, zone.value, now.value)}
                    </time>
                  )}
                </td>
                <td>{!isFixed && <MoreButton label={`More for ${member.name}`} items={menuOf(member)} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {isAdmin && <Invitations w={w} version={sent + members.revision.value} />}
      {nextOwner && <HandOver w={w} to={nextOwner} onClose={() => setNextOwner(undefined)} />}
      {question}
    </SettingsPage>
  );
}

const invitationsOf = (w: string): string => `/workspaces/${w}/invitations`;

function InviteForm({ w, onSent }: { w: string; onSent(): void }) {
  const draft = useDraft(`invite ${w}`, { email: '', role: 'member' });
  const { email, role } = draft.values;
  const form = useForm(['email']);
  const send = async () => {
    if (!(await form.send(() => call('POST', invitationsOf(w), { email, role })))) return;
    showToast(`Invited ${email}`);
    draft.saved({ email: '', role });
    onSent();
  };
  return (
    <Form state={form} label="Invite" onSubmit={send}>
      <div class="invite">
        <Field
          label="Email"
          type="email"
          autocomplete="off"
          {...form.field('email', email, draft.set('email'))}
        />
        <Select
          label="Role"
          value={role}
          options={GIVEN.map((one) => ({ value: one, title: ROLES[one] }))}
          onChange={draft.set('role')}
        />
        <Submit>Invite</Submit>
      </div>
    </Form>
  );
}

/** Those who were invited and have not come yet; `version` is another when one may have been sent or accepted. */
function Invitations({ w, version }: { w: string; version: number }) {
  const path = invitationsOf(w);
  const { items: invited = [], change } = useItems<Invitation>(path, version);
  const again = ({ email, role }: Invitation) =>
    change('POST', path, `Sent again to ${email}`, { email, role });
  const [ask, question] = useAsk();
  const withdraw = ({ id, email }: Invitation) =>
    ask({
      title: 'Withdraw invitation',
      yes: 'Withdraw',
      words: `The link that ${email} was sent stops working.`,
      run: () => void change('DELETE', `${path}/${id}`, `Withdrew the invitation of ${email}`),
    });
  if (invited.length === 0) return null;
  const say = (at: string) => sayWhen(at, zone.value, now.value);
  return (
    <Part title="Invited">
      <ul class="entries">
        {invited.map((invitation) => (
          <li key={invitation.id}>
            <span class="avatar large" data-hue="stone" aria-hidden="true">
              <Icon name="mail" small />
            </span>
            <div>
              <p class="cut">{invitation.email}</p>
              <p class="quiet">
                {ROLES[invitation.role]} · sent {say(invitation.createdAt)}, ends {say(invitation.expiresAt)}
              </p>
            </div>
            <div class="line push">
              <Button onClick={() => void again(invitation)}>Send again</Button>
              <Button onClick={() => withdraw(invitation)}>Withdraw</Button>
            </div>
          </li>
        ))}
      </ul>
      {question}
    </Part>
  );
}
