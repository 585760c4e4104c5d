/** Internal routes by which the main thread calls the writer. They are not part of the API and cannot be called from outside. */
import { route } from '@postil/domain/api/route'
import { Id, Int, Shape, StrictInt, Text } from '@postil/domain/schema'

/** `credentials_version` belongs to the password that was checked. `status` is the status of the response. */
export const NewHash = Shape({
  user_id: Id,
  credentials_version: StrictInt,
  password_hash: Text(),
  access_token: Text(),
  status: Int(),
})

export const storeHash = route({
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'writer',
  id: 'storeHash',
  summary: 'Store a newer hash of a password that was right, and answer the token',
  status: 201,
  urgent: true,
  body: NewHash,
  response: Shape({ access_token: Text(), token_type: Text() }),
})
