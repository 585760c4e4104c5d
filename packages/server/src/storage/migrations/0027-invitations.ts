/** Invitation links. A link contains a secret; only its hash is stored. */
import type { Queryable } from '../database.ts'

const STATEMENTS = [
  `create table invitations (
    id text primary key, token_hash text not null unique, username text, role text not null,
    invited_by text not null references users (id) on delete cascade,
    inserted_at text not null, expires_at text not null, accepted_at text,
    accepted_by text references users (id) on delete cascade, revoked_at text
  )`,
  'create index invitations_by_expiry on invitations (expires_at)',
  'create index invitations_of_inviter on invitations (invited_by)',
  'create index invitations_accepted_by on invitations (accepted_by)',
  `create table invitation_workspaces (
    invitation_id text not null references invitations (id) on delete cascade,
    workspace_id text not null references workspaces (id) on delete cascade,
    primary key (invitation_id, workspace_id)
  )`,
  'create index invitation_workspaces_of_workspace on invitation_workspaces (workspace_id)',
]

export async function up(db: Queryable): Promise<void> {
  for (const statement of STATEMENTS) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table invitation_workspaces')
  await db.sql.run('drop table invitations')
}
