import { Id, Int, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamp } from './schema.ts'
import { Password, ROLES, TrimmedText, Username } from './users.ts'

export const INVITATION_STATUSES = ['open', 'accepted', 'revoked', 'expired'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

export const INVITATION_HOURS_DEFAULT = 72
export const INVITATION_HOURS_MAX = 720
export const INVITATION_WORKSPACES_MAX = 100
const INVITATIONS_LISTED_MAX = 100

/** 32 random bytes in base64url. Any other text is an unknown token, not an invalid request. */
const Token = Text(1, 200)

export const Invitation = Shape({
  id: Id,
  /** Null: the invited person chooses one. */
  username: Nullable(Text()),
  role: OneOf(ROLES),
  /** Only workspaces that still exist. */
  workspaces: List(Shape({ id: Id, name: Text() })),
  /** `revoked` also if the inviter is no longer an active owner. */
  status: OneOf(INVITATION_STATUSES),
  invited_by: Shape({ id: Id, username: Text() }),
  /** Null until it is accepted. */
  accepted_by: Nullable(Shape({ id: Id, username: Text() })),
  inserted_at: Timestamp,
  expires_at: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const InvitationCreate = Shape({
  username: Optional(Nullable(Username)),
  role: Optional(OneOf(ROLES, { default: 'annotator' })),
  workspace_ids: Optional(List(Id, { maxItems: INVITATION_WORKSPACES_MAX })),
  expires_in_hours: Optional(Int({ minimum: 1, maximum: INVITATION_HOURS_MAX, default: INVITATION_HOURS_DEFAULT })),
})
export type InvitationCreate = Static<typeof InvitationCreate>

/** `token` is only in this response. The link is `/invitation#<token>`. */
export const CreatedInvitation = Shape({ ...Invitation.properties, token: Text() })
export type CreatedInvitation = Static<typeof CreatedInvitation>

export const InvitationsQuery = Shape({
  status: Optional(OneOf(INVITATION_STATUSES)),
  limit: Optional(Int({ minimum: 1, maximum: INVITATIONS_LISTED_MAX, default: 50 })),
  before: Optional(Id),
})
export type InvitationsQuery = Static<typeof InvitationsQuery>

/** Newest first. `next` is the `before` of the next page. */
export const InvitationPage = Shape({ items: List(Invitation), next: Nullable(Id) })
export type InvitationPage = Static<typeof InvitationPage>

export const InvitationLookup = Shape({ token: Token })
export type InvitationLookup = Static<typeof InvitationLookup>

/** Information for a person who opens the link. */
export const InvitationOffer = Shape({
  username: Nullable(Text()),
  role: OneOf(ROLES),
  /** Workspace names. */
  workspaces: List(Text()),
  expires_at: Timestamp,
})
export type InvitationOffer = Static<typeof InvitationOffer>

export const InvitationAccept = Shape({
  token: Token,
  username: Username,
  first_name: TrimmedText,
  last_name: Optional(Nullable(TrimmedText)),
  password: Password,
})
export type InvitationAccept = Static<typeof InvitationAccept>
