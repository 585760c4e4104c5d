/** Internal route that the writer runs after a card is created. It is not part of the API and cannot be called from outside. */
import { route } from '@postil/domain/api/route'
import { Id, Shape, Text } from '@postil/domain/schema'

export const noteShared = route({
  id: 'noteShared',
  method: 'POST',
  path: '',
  tag: 'inner',
  runs: 'writer',
  urgent: true,
  status: 200,
  summary: 'Note in the audit log that a card of progress was made',
  body: Shape({ dataset_id: Id, card: Text() }),
  response: Shape({ card: Text() }),
})
