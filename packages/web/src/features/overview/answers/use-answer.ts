/** Loads one person's answer to a record, and the neighbours of the record in the list of that person's answers. */
import { DomainError } from '@postil/domain/errors'
import type { OverviewRecords } from '@postil/domain/overview'
import type { DatasetRecord } from '@postil/domain/records'
import type { ResponseOfAuthor, ResponseStatus } from '@postil/domain/responses'
import type { Api } from '../../../api.ts'

export interface AnswerPlace {
  datasetId: string
  userId: string
  status: ResponseStatus
  /** Null for the first record of the list. */
  recordId: string | null
}

export interface LoadedAnswer {
  recordId: string
  record: DatasetRecord
  /** Null if this person never answered in the dataset, or is being deleted. */
  author: ResponseOfAuthor | null
  total: number
  /** Position in the list; null if the record is no longer in it. */
  position: number | null
  previousId: string | null
  nextId: string | null
}

/** Returns null if the list is empty and no record is given. */
export async function loadAnswer(api: Api, place: AnswerPlace, signal: AbortSignal): Promise<LoadedAnswer | null> {
  const found = await listAround(api, place, signal)
  const recordId = place.recordId ?? found.items[0]?.id
  if (recordId === undefined) return null
  const params = { record_id: recordId }
  const [record, author] = await Promise.all([
    api.getRecord({ params }, { signal }),
    api.getResponseOfUser({ params: { ...params, user_id: place.userId } }, { signal }).catch(nullIfGone),
  ])
  const at = (found.place ?? 0) - found.offset
  const isListed = found.items[at]?.id === recordId
  return {
    recordId,
    record,
    author,
    total: found.total,
    position: isListed ? found.offset + at + 1 : null,
    previousId: found.items[at - 1]?.id ?? null,
    nextId: found.items[isListed ? at + 1 : at]?.id ?? null,
  }
}

/** Repeats the request while the server is still counting. */
async function listAround(api: Api, place: AnswerPlace, signal: AbortSignal): Promise<OverviewRecords> {
  const { datasetId, userId, status, recordId } = place
  const around = recordId === null ? {} : { record_id: recordId }
  for (;;) {
    const query = { user_id: userId, status, ...around, limit: 3 }
    const found = await api.listOverviewRecords({ params: { dataset_id: datasetId }, query }, { signal })
    if (!found.reading) return found
  }
}

function nullIfGone(error: unknown): null {
  if (error instanceof DomainError && error.code === 'not_found') return null
  throw error
}
