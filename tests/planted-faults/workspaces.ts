// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type FaultGroup, faultsIn } from './fault.ts'

const FEATURES = 'packages/server/src/features'
const WORKSPACES = `${FEATURES}/workspaces`

const workspaces: FaultGroup = {
  name: 'workspaces',
  unit: [WORKSPACES],
  contract: ['contract/people.test.ts'],
  routes: [
    'createWorkspace',
    'deleteWorkspace',
    'getWorkspace',
    'listMyWorkspaces',
    'listWorkspaceUsers',
    'addWorkspaceUser',
    'removeWorkspaceUser',
  ],
  faults: faultsIn(WORKSPACES, [
    ['workspace-create-permission', 'anybody creates workspaces', 'create.ts', 'allow(canCreateWorkspace(ctx.actor))', ''],
    [
      'workspace-name-taken',
      'a taken name is an internal error instead of a conflict',
      'store.ts',
      'throw notUnique(`A workspace with name',
      'if (workspace) throw error\n    throw notUnique(`A workspace with name',
    ],
    [
      'workspace-create-audit',
      'the audit log does not show new workspaces',
      'create.ts',
      "await audit(tx, ctx, { action: 'workspace.created', target: workspace, workspaceId: workspace.id })",
      '',
    ],
    ['workspace-delete-permission', 'anybody deletes workspaces', 'delete.ts', 'allow(canDeleteWorkspace(ctx.actor))', ''],
    [
      'workspace-with-datasets',
      'a workspace with datasets can be deleted',
      'delete.ts',
      'if (await hasDatasets(tx, workspaceId)) throw',
      "if (workspaceId === '') throw",
    ],
    [
      'workspace-with-legacy-datasets',
      'a workspace with datasets of 1.x clients can be deleted',
      'store.ts',
      'union all select id from legacy_datasets where workspace_id = ?',
      'union all select id from datasets where workspace_id = ?',
    ],
    [
      'workspace-lock',
      'a dataset is added while its workspace is deleted',
      'store.ts',
      'where w.id = ?${db.dialect.forUpdate}',
      'where w.id = ?',
    ],
    ['workspace-add-permission', 'anybody adds members', 'members.ts', 'allow(canAddWorkspaceUser(ctx.actor))', ''],
    [
      'workspace-add-nobody',
      'adding a user who does not exist is a conflict instead of invalid',
      'members.ts',
      'if (!user) throw invalid(',
      'if (!user) throw notUnique(',
    ],
    [
      'workspace-remove-permission',
      'anybody removes members',
      'members.ts',
      'allow(canRemoveWorkspaceUser(ctx.actor, workspaceId))',
      '',
    ],
    ['workspace-remove', 'a removed member stays', 'members.ts', 'await deleteMembership(tx, workspaceId, userId)', ''],
    [
      'workspace-remove-everywhere',
      'a removed member loses all workspaces',
      'store.ts',
      "'delete from workspaces_users where workspace_id = ? and user_id = ?', [workspaceId, userId]",
      "'delete from workspaces_users where user_id = ?', [userId]",
    ],
    [
      'workspace-add-audit',
      'the audit log does not show new members',
      'members.ts',
      "await auditMember(ctx, tx, 'workspace.user_added', { workspace, user })",
      '',
    ],
    [
      'workspace-users-permission',
      'annotators list the members of any workspace',
      'read.ts',
      'allow(canListWorkspaceUsers(ctx.actor, workspaceId))',
      '',
    ],
    [
      'workspace-read-permission',
      'anybody reads any workspace',
      'read.ts',
      'allow(canReadWorkspace(ctx.actor, workspaceId))',
      '',
    ],
    [
      'workspace-all-for-all',
      'everyone lists all workspaces',
      'read.ts',
      "ctx.actor.role === 'owner' ? null : ctx.actor.id",
      'null as Id | null',
    ],
    ['workspace-order', 'workspaces are sorted by name', 'store.ts', "'order by w.inserted_at, w.id'", "'order by w.name, w.id'"],
  ]).concat(
    faultsIn(`${FEATURES}/users`, [
      [
        'workspace-member-order',
        'members are sorted by name',
        'store.ts',
        'order by m.inserted_at, u.id`',
        'order by u.username, u.id`',
      ],
    ]),
  ),
}

export const workspaceGroups: FaultGroup[] = [workspaces]
