/**
 * Internal routes by which the main thread calls the writer after a password is hashed. They are not part of the API and cannot
 * be called from outside.
 */
import { route } from '@postil/domain/api/route'
import { Id, List, Nullable, OneOf, Optional, Shape, type Static, StrictInt, Text } from '@postil/domain/schema'
import { ROLES, User } from '@postil/domain/users'

const inner = { method: 'POST', path: '', tag: 'inner', runs: 'writer' } as const

export const HashedUserCreate = Shape({
  id: Optional(Nullable(Id)),
  first_name: Text(),
  last_name: Optional(Nullable(Text())),
  username: Text(),
  role: Optional(Nullable(OneOf(ROLES))),
  password_hash: Text(),
  workspaces: Optional(Nullable(List(Text()))),
})
export type HashedUserCreate = Static<typeof HashedUserCreate>

export const HashedUserUpdate = Shape({
  first_name: Optional(Text()),
  last_name: Optional(Nullable(Text())),
  username: Optional(Text()),
  role: Optional(OneOf(ROLES)),
  password_hash: Optional(Text()),
})
export type HashedUserUpdate = Static<typeof HashedUserUpdate>

export const insertUser = route({
  ...inner,
  id: 'insertUser',
  summary: 'Store a user whose password is hashed',
  status: 201,
  body: HashedUserCreate,
  response: User,
})

export const changeUser = route({
  ...inner,
  id: 'changeUser',
  summary: 'Store what was changed of a user, with the password hashed',
  status: 200,
  body: Shape({ user_id: Id, given: HashedUserUpdate }),
  response: User,
})

export const storePassword = route({
  ...inner,
  id: 'storePassword',
  summary: 'Store the new password of the caller, whose old one was right',
  status: 204,
  urgent: true,
  body: Shape({ password_hash: Text(), credentials_version: StrictInt }),
})
