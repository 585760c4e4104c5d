import { AnyJson, Dictionary, Id, Nullable, Shape, type Static, Text, Timestamp } from './schema.ts'

export const AUDIT_ACTIONS: Record<string, string> = { 'user.created': 'A user was created' }

export const AuditEntry = Shape({
  id: Id,
  action: Text(),
  actor: Nullable(Shape({ id: Id, username: Text() })),
  target: Nullable(Shape({ type: Text(), id: Nullable(Text()), name: Nullable(Text()) })),
  workspace_id: Nullable(Id),
  address: Nullable(Text()),
  details: Dictionary(AnyJson),
  inserted_at: Timestamp,
})
export type AuditEntry = Static<typeof AuditEntry>
