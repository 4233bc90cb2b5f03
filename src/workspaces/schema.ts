import { z } from '@hono/zod-openapi';
import { MailedToken, Title } from '../http/fields.ts';
import { Email } from '../users/schema.ts';

export const Role = z.enum(['owner', 'admin', 'member', 'viewer'], {
  error: 'Role must be one of owner, admin, member, viewer',
});

/** What can be given to someone without giving the workspace away. */
const LesserRole = z.enum(['admin', 'member', 'viewer'], {
  error: 'Role must be one of admin, member, viewer',
});

export const Workspace = z
  .object({
    id: z.string(),
    title: z.string(),
    ownerId: z.string(),
    role: Role.openapi({ description: 'Your own role in it' }),
    memberCount: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Workspace');
export type Workspace = z.output<typeof Workspace>;

export const WorkspaceInput = z.object({ title: Title.openapi({ example: 'Household' }) });
export type WorkspaceInput = z.output<typeof WorkspaceInput>;

export const WorkspacePatch = WorkspaceInput.partial();
export type WorkspacePatch = z.output<typeof WorkspacePatch>;

export const WorkspaceMember = z
  .object({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    joinedAt: z.string(),
  })
  .openapi('Member');
export type WorkspaceMember = z.output<typeof WorkspaceMember>;

export const MemberPatch = z.object({
  role: Role.optional().openapi({ description: '`owner` hands the workspace over' }),
});
export type MemberPatch = z.output<typeof MemberPatch>;

export const Invitation = z
  .object({
    id: z.string(),
    workspaceId: z.string(),
    email: z.string(),
    role: LesserRole,
    inviterId: z.string().nullable().openapi({ description: 'null once they have no account any more' }),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .openapi('Invitation');
export type Invitation = z.output<typeof Invitation>;

export const InvitationInput = z.object({ email: Email, role: LesserRole });
export type InvitationInput = z.output<typeof InvitationInput>;

export const AcceptInput = z.object({ token: MailedToken });
export type AcceptInput = z.output<typeof AcceptInput>;
