/** Internal routes of the writer for legacy routes. They are not contracts. */
import { route } from '@postil/domain/api/route'
import { LegacyUser } from '@postil/domain/legacy/api-users'
import { Bool, List, Shape, type Static, StrictInt, Text } from '@postil/domain/schema'
import { HashedUserCreate } from '../features/users/writes.ts'

const inner = { method: 'POST', path: '', tag: 'inner', runs: 'writer', status: 200 } as const

export const legacyInsertUser = route({
  ...inner,
  id: 'legacyInsertUser',
  summary: 'Store a user whose password is hashed',
  body: HashedUserCreate,
  response: LegacyUser,
})

const FoundToDelete = Shape({ workspace: Text(), name: Text(), ids: List(Text()), mark_as_discarded: Bool() })
export type FoundToDelete = Static<typeof FoundToDelete>

export const legacyDeleteFound = route({
  ...inner,
  id: 'legacyDeleteFound',
  summary: 'Delete the records that were found, or mark them as discarded',
  body: FoundToDelete,
  response: Shape({ matched: StrictInt, processed: StrictInt }),
})
