/**
 * The audit log. Triggers reject every update, and every deletion of an entry that is not older than
 * `audit_pruning.pruned_before`, so that a mistake in the code or at a database prompt cannot change it unnoticed.
 */
import type { Queryable } from '../database.ts'

const REFUSED = 'entries of the audit log cannot be changed, nor deleted before the retention period is over'
const IS_OLD = 'exists (select 1 from audit_pruning p where old.inserted_at < p.pruned_before)'

const tables = (db: Queryable['dialect']) => [
  `create table audit_entries (
    no ${db.autoNumber}, id text not null, action text not null, actor_id text, actor_name text, target_type text, target_id text,
    target_name text, workspace_id text, address text, details text not null, inserted_at ${db.text} not null
  )`,
  `create table audit_pruning (pruned_before ${db.text} not null)`,
  // One index for each filter, in the order of the list, so that a page is the end of an index range.
  'create index audit_entries_time on audit_entries (inserted_at, no)',
  'create index audit_entries_action on audit_entries (action, inserted_at, no)',
  'create index audit_entries_actor on audit_entries (actor_id, inserted_at, no)',
  'create index audit_entries_actor_action on audit_entries (actor_id, action, inserted_at, no)',
  'create index audit_entries_target on audit_entries (target_id, inserted_at, no)',
]

const SQLITE_TRIGGERS = [
  `create trigger audit_entries_update before update on audit_entries begin select raise(abort, '${REFUSED}'); end`,
  `create trigger audit_entries_delete before delete on audit_entries when not ${IS_OLD}
   begin select raise(abort, '${REFUSED}'); end`,
]

const POSTGRES_TRIGGERS = [
  `create function refuse_audit_change() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       if ${IS_OLD} then return old; end if;
     end if;
     raise exception '${REFUSED}';
   end $$`,
  `create trigger audit_entries_change before update or delete on audit_entries
   for each row execute function refuse_audit_change()`,
  `create trigger audit_entries_truncate before truncate on audit_entries
   for each statement execute function refuse_audit_change()`,
]

export async function up(db: Queryable): Promise<void> {
  const triggers = db.dialect.name === 'sqlite' ? SQLITE_TRIGGERS : POSTGRES_TRIGGERS
  for (const statement of [...tables(db.dialect), ...triggers]) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table audit_entries')
  await db.sql.run('drop table audit_pruning')
  if (db.dialect.name === 'postgres') await db.sql.run('drop function refuse_audit_change()')
}
