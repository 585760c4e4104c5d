/** Internal routes by which the HTTP thread calls the writer. They are not part of the API and cannot be called from outside. */
import { route } from '@postil/domain/api/route'
import { Id, Nullable, Shape, StrictInt, Text } from '@postil/domain/schema'
import { User } from '@postil/domain/users'

const inner = { method: 'POST', path: '', tag: 'inner', auth: false, runs: 'writer' } as const

export const openSession = route({
  ...inner,
  id: 'openSession',
  summary: 'Begin a session of a user whose password was right',
  status: 201,
  urgent: true,
  /** `credentials_version` belongs to the password that was checked. `password_hash` is a new hash of it, or null. */
  body: Shape({ user_id: Id, credentials_version: StrictInt, password_hash: Nullable(Text()) }),
  response: User,
})

export const keepSession = route({
  ...inner,
  id: 'keepSession',
  summary: 'Note that a session is used, which makes it last longer',
  status: 204,
  body: Shape({ session_id: Id }),
})
