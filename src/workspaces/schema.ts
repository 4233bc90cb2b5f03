import { z } from '@hono/zod-openapi';
import { MailedToken, oneOf, Title, WireId, WireInstant } from '../http/fields.ts';
import { Email } from '../users/schema.ts';

export const Role = oneOf('Role', ['owner', 'admin', 'member', 'viewer']);

/** What can be given to someone without giving the workspace away. */
const LesserRole = oneOf('Role', ['admin', 'member', 'viewer']);

export const Workspace = z
  .object({
    id: WireId,
    title: z.string().openapi({ example: 'Household' }),
    ownerId: WireId,
    role: Role.openapi({ description: 'Your own role in it' }),
    memberCount: z.int().openapi({ example: 2 }),
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('Workspace');
export type Workspace = z.output<typeof Workspace>;

export const WorkspaceInput = z.object({ title: Title.openapi({ example: 'Household' }) });
export type WorkspaceInput = z.output<typeof WorkspaceInput>;

export const WorkspacePatch = WorkspaceInput.partial();
export type WorkspacePatch = z.output<typeof WorkspacePatch>;

export const WorkspaceMember = z
  .object({
    userId: WireId,
    email: z.string().openapi({ example: 'ada@example.com' }),
    name: z.string().openapi({ example: 'Ada Lovelace' }),
    role: Role,
    joinedAt: WireInstant,
  })
  .openapi('Member');
export type WorkspaceMember = z.output<typeof WorkspaceMember>;

export const MemberPatch = z.object({
  role: Role.optional().openapi({ description: '`owner` hands the workspace over', example: 'member' }),
});
export type MemberPatch = z.output<typeof MemberPatch>;

export const Invitation = z
  .object({
    id: WireId,
    workspaceId: WireId,
    email: z.string().openapi({ example: 'grace@example.com' }),
    role: LesserRole,
    inviterId: WireId,
    createdAt: WireInstant,
    expiresAt: WireInstant,
  })
  .openapi('Invitation');
export type Invitation = z.output<typeof Invitation>;

export const InvitationInput = z.object({
  email: Email.openapi({ example: 'grace@example.com' }),
  role: LesserRole.openapi({ example: 'member' }),
});
export type InvitationInput = z.output<typeof InvitationInput>;

export const AcceptInput = z.object({ token: MailedToken });
export type AcceptInput = z.output<typeof AcceptInput>;
