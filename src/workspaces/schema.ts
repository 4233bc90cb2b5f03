import { z } from '@hono/zod-openapi';
import { enumeration, MailedToken, Title, WireId, WireInstant } from '../http/fields.ts';
import { Email, OfferedPassword } from '../users/schema.ts';

const Role = enumeration('Role', 'Role', ['owner', 'admin', 'member', 'viewer']);

const KEY_RULE = 'Key must be 2 to 6 letters from A to Z';

/** What can be given to someone without giving the workspace away. */
export const LesserRole = enumeration('LesserRole', 'Role', ['admin', 'member', 'viewer']);

export const Workspace = z
  .object({
    id: WireId,
    title: z.string().openapi({ example: 'Household' }),
    key: z.string().openapi({
      description:
        'In front of the numbers of its tasks: `HOU-12`. From the first title; other workspaces may have the same',
      example: 'HOU',
    }),
    ownerId: WireId,
    role: Role.openapi({ description: 'Your own role in it' }),
    memberCount: z.int().openapi({ example: 2 }),
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('Workspace');
export type Workspace = z.output<typeof Workspace>;

export const WorkspaceInput = z
  .object({ title: Title.openapi({ example: 'Household' }) })
  .openapi('NewWorkspace');
export type WorkspaceInput = z.output<typeof WorkspaceInput>;

export const WorkspaceKey = z
  .string({ error: KEY_RULE })
  .regex(/^[A-Z]{2,6}$/, KEY_RULE)
  .openapi({ example: 'HOME' });

export const WorkspacePatch = WorkspaceInput.partial()
  .extend({ key: WorkspaceKey.optional() })
  .openapi('WorkspaceChanges');
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

export const MemberPatch = z
  .object({
    role: Role.optional().openapi({ description: '`owner` hands the workspace over', example: 'member' }),
    password: OfferedPassword.optional().openapi({
      description: "The caller's own, where they have one, to hand a workspace over; else not looked at",
    }),
  })
  .openapi('MemberChanges');
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

export const InvitationInput = z
  .object({
    email: Email.openapi({ example: 'grace@example.com' }),
    role: LesserRole.openapi({ example: 'member' }),
  })
  .openapi('NewInvitation');
export type InvitationInput = z.output<typeof InvitationInput>;

export const AcceptInput = z.object({ token: MailedToken }).openapi('InvitationToken');
export type AcceptInput = z.output<typeof AcceptInput>;
