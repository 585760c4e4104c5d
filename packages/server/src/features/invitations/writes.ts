/**
 * Internal routes by which the main thread calls the writer after a password is hashed. They are not part of the API and cannot
 * be called from outside.
 */
import { route } from '@postil/domain/api/route'
import { Id, Nullable, Optional, Shape, type Static, Text } from '@postil/domain/schema'
import { User } from '@postil/domain/users'

export const HashedAccept = Shape({
  invitation_id: Id,
  username: Text(),
  first_name: Text(),
  last_name: Optional(Nullable(Text())),
  password_hash: Text(),
})
export type HashedAccept = Static<typeof HashedAccept>

export const acceptInvitation = route({
  id: 'storeAcceptedInvitation',
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'writer',
  urgent: true,
  status: 201,
  summary: 'Create the user of an invitation, with the password hashed, and begin a session',
  body: HashedAccept,
  response: User,
})
