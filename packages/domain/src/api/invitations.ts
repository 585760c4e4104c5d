/**
 * Invitation links. Servers and proxies log paths and queries, so the token never appears there: the link carries it in its
 * fragment, and the page sends it in a request body.
 */
import {
  CreatedInvitation,
  Invitation,
  InvitationAccept,
  InvitationCreate,
  InvitationLookup,
  InvitationOffer,
  InvitationPage,
  InvitationsQuery,
} from '../invitations.ts'
import { User } from '../users.ts'
import { InvitationParams } from './params.ts'
import { ACCOUNT_BODY_BYTES_MAX, route, SIGN_IN_BODY_BYTES_MAX } from './route.ts'

const tag = 'invitations'

export const createInvitation = route({
  id: 'createInvitation',
  method: 'POST',
  path: '/api/v1/invitations',
  tag,
  status: 201,
  runs: 'writer',
  bodyBytesMax: ACCOUNT_BODY_BYTES_MAX,
  summary: 'Invite somebody to create an account: for owners',
  body: InvitationCreate,
  response: CreatedInvitation,
})

export const listInvitations = route({
  id: 'listInvitations',
  method: 'GET',
  path: '/api/v1/invitations',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Invitations, newest first: for owners',
  query: InvitationsQuery,
  response: InvitationPage,
})

export const revokeInvitation = route({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/api/v1/invitations/:invitation_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Revoke an invitation that was not accepted: for owners',
  params: InvitationParams,
  response: Invitation,
})

export const lookUpInvitation = route({
  id: 'lookUpInvitation',
  method: 'POST',
  path: '/api/v1/invitations/lookup',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  summary: 'What an invitation offers, for somebody who has its token',
  body: InvitationLookup,
  response: InvitationOffer,
})

export const acceptInvitation = route({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/api/v1/invitations/accept',
  tag,
  status: 201,
  auth: false,
  // Hashing a password is slow. Only the database write after it runs on the writer thread.
  runs: 'here',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  refusals: [403],
  summary: 'Accept an invitation, once: creates the user and signs them in; the session is a cookie',
  body: InvitationAccept,
  response: User,
})

export const invitationRoutes = [createInvitation, listInvitations, revokeInvitation, lookUpInvitation, acceptInvitation]
