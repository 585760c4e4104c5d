/**
 * All permissions. An actor has a role and workspaces, so that checks need no database access. Owners may do everything; other
 * users act only inside their workspaces.
 */
import type { Id } from './schema.ts'
import type { Role } from './users.ts'

export interface Actor {
  id: Id
  username: string
  role: Role
  workspace_ids: readonly Id[]
}

interface InWorkspace {
  workspace_id: Id
}

const isOwner = (actor: Actor) => actor.role === 'owner'
const isMember = (actor: Actor, thing: InWorkspace) => isOwner(actor) || actor.workspace_ids.includes(thing.workspace_id)
const isMemberAdmin = (actor: Actor, thing: InWorkspace) => isOwner(actor) || (actor.role === 'admin' && isMember(actor, thing))

/** Users: list, read, create, change, deactivate, delete, their API keys, and their workspaces. */
export const canManageUsers = isOwner

/** Only owners, because an invitation creates a user and adds them to workspaces. */
export const canManageInvitations = isOwner

export const canCreateWorkspace = isOwner
export const canDeleteWorkspace = isOwner
export const canAddWorkspaceUser = isOwner
export const canReadWorkspace = (actor: Actor, id: Id) => isMember(actor, { workspace_id: id })
export const canListWorkspaceUsers = (actor: Actor, id: Id) => isMemberAdmin(actor, { workspace_id: id })
export const canRemoveWorkspaceUser = (actor: Actor, id: Id) => isMemberAdmin(actor, { workspace_id: id })

/** Datasets and their settings, progress and metrics: members may read, admins who are members may change. */
export const canListDatasetsOf = (actor: Actor, workspaceId: Id) => isMember(actor, { workspace_id: workspaceId })
export const canReadDataset = isMember
export const canChangeDataset = isMemberAdmin

/** Restricted because the change feed lists all records and the responses of all users. */
export const canReadChangeFeed = isMemberAdmin

/** Restricted because the overview shows the work of each person. */
export const canReadOverview = isMemberAdmin

/** A metadata property can be hidden from annotators, including its values, metrics, filters and sorts. */
export const canSeeMetadataProperty = (actor: Actor, dataset: InWorkspace, property: { visible_for_annotators: boolean }) =>
  isMemberAdmin(actor, dataset) || (isMember(actor, dataset) && property.visible_for_annotators)
/** Metadata without a metadata property. */
export const canSeeExtraMetadata = isMemberAdmin

export const canListRecords = isMemberAdmin
export const canWriteRecords = isMemberAdmin
export const canReadRecord = isMember
export const canSearchOwnRecords = isMember
/** Reading the responses of other users. */
export const canReadAllResponses = isMemberAdmin
export const canWriteSuggestions = isMemberAdmin
export const canCreateResponse = isMember

/** Authors keep this permission after they leave the workspace. */
export const canChangeResponse = (actor: Actor, dataset: InWorkspace, response: { user_id: Id }) =>
  response.user_id === actor.id || isMemberAdmin(actor, dataset)

/** Flags belong to one member; all members may read and write comments. */
export const canFlagRecord = isMember
export const canCommentRecord = isMember
export const canDeleteComment = (actor: Actor, dataset: InWorkspace, comment: { user_id: Id }) =>
  comment.user_id === actor.id || isMemberAdmin(actor, dataset)

/** Uploads are visible only to the user who created them. */
export const canUpload = (actor: Actor) => actor.role !== 'annotator'

export const canReadAuditLog = isOwner

/** Reading datasets on the hub with the server's token. */
export const canReadHub = (actor: Actor) => actor.role === 'owner' || actor.role === 'admin'

/** Only owners, because webhooks receive the events of every workspace. */
export const canManageWebhooks = isOwner

/** `workspaceId` is the workspace of the job's dataset; null if the dataset was deleted. */
export const canReadJob = (actor: Actor, workspaceId: Id | null) =>
  workspaceId === null ? isOwner(actor) : isMemberAdmin(actor, { workspace_id: workspaceId })

/** Listing the jobs of all datasets, retrying failed jobs, and canceling jobs. */
export const canManageJobs = isOwner

/** An API key is shown to its user and to owners. */
export const canSeeApiKey = (actor: Actor, userId: Id) => isOwner(actor) || actor.id === userId
