/** What the thread that speaks HTTP has the writer do. Served, but no contracts: nobody can call them from outside. */
import { route } from '@postil/domain/api/route'
import { Id, Shape, StrictInt } from '@postil/domain/schema'
import { User } from '@postil/domain/users'

const inner = { method: 'POST', path: '', tag: 'inner', auth: false, runs: 'writer' } as const

export const openSession = route({
  ...inner,
  id: 'openSession',
  summary: 'Begin a session of a user whose password was right',
  status: 201,
  urgent: true,
  /** `credentials_version`: that of the password that was checked. */
  body: Shape({ user_id: Id, credentials_version: StrictInt }),
  response: User,
})

export const keepSession = route({
  ...inner,
  id: 'keepSession',
  summary: 'Note that a session is used, which makes it last longer',
  status: 204,
  body: Shape({ session_id: Id }),
})
