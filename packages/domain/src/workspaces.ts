import { Id, Nullable, Optional, Shape, type Static, Text, Timestamps } from './schema.ts'

export const Workspace = Shape({ id: Id, name: Text(), ...Timestamps })
export type Workspace = Static<typeof Workspace>

export const WorkspaceCreate = Shape({ id: Optional(Nullable(Id)), name: Text(1) })
export type WorkspaceCreate = Static<typeof WorkspaceCreate>

export const WorkspaceUserCreate = Shape({ user_id: Id })
export type WorkspaceUserCreate = Static<typeof WorkspaceUserCreate>
