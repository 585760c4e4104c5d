/**
 * Who may do what: the whole table on one screen. An actor brings its role and its workspaces, so that every answer is
 * instant. Owners pass everywhere; the others act only inside workspaces they belong to.
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

export const canCreateWorkspace = isOwner
export const canDeleteWorkspace = isOwner
export const canAddWorkspaceUser = isOwner
export const canReadWorkspace = (actor: Actor, id: Id) => isMember(actor, { workspace_id: id })
export const canListWorkspaceUsers = (actor: Actor, id: Id) => isMemberAdmin(actor, { workspace_id: id })
export const canRemoveWorkspaceUser = (actor: Actor, id: Id) => isMemberAdmin(actor, { workspace_id: id })

/** Datasets and their settings, progress and metrics: reading is for members, changing for admins among them. */
export const canListDatasetsOf = (actor: Actor, workspaceId: Id) => isMember(actor, { workspace_id: workspaceId })
export const canReadDataset = isMember
export const canChangeDataset = isMemberAdmin

/** The change feed names all records, whoever answered them. */
export const canReadChangeFeed = isMemberAdmin

/** A metadata property may be hidden from annotators: its values, metrics, filters and sorts too. */
export const canSeeMetadataProperty = (actor: Actor, dataset: InWorkspace, property: { visible_for_annotators: boolean }) =>
  isMemberAdmin(actor, dataset) || (isMember(actor, dataset) && property.visible_for_annotators)
/** Metadata that no property describes. */
export const canSeeExtraMetadata = isMemberAdmin

export const canListRecords = isMemberAdmin
export const canWriteRecords = isMemberAdmin
export const canReadRecord = isMember
export const canSearchOwnRecords = isMember
/** Whether other people's responses are shown. */
export const canReadAllResponses = isMemberAdmin
export const canWriteSuggestions = isMemberAdmin
export const canCreateResponse = isMember

/** The author keeps these rights even after losing membership. */
export const canChangeResponse = (actor: Actor, dataset: InWorkspace, response: { user_id: Id }) =>
  response.user_id === actor.id || isMemberAdmin(actor, dataset)

/** Flags are a member's own; comments are read and written by all members. */
export const canFlagRecord = isMember
export const canCommentRecord = isMember
export const canDeleteComment = (actor: Actor, dataset: InWorkspace, comment: { user_id: Id }) =>
  comment.user_id === actor.id || isMemberAdmin(actor, dataset)

export const canReadAuditLog = isOwner

/** Webhooks see everything that happens in every workspace. */
export const canManageWebhooks = isOwner

/** `workspaceId`: of the dataset that the job works on; null when that is gone. */
export const canReadJob = (actor: Actor, workspaceId: Id | null) =>
  workspaceId === null ? isOwner(actor) : isMemberAdmin(actor, { workspace_id: workspaceId })

/** Listing jobs of all datasets, running a failed one again, canceling one. */
export const canManageJobs = isOwner

/** An API key is shown to its user and to owners. */
export const canSeeApiKey = (actor: Actor, userId: Id) => isOwner(actor) || actor.id === userId
