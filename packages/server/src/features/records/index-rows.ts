/** The text of all records of a dataset, made anew from what is stored: for rebuilding the index and for checking it. */
import type { RecordFields } from '@postil/domain/records'
import type { TextDocument } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { toTextDocument } from './rows.ts'
import { listRecordsAfter } from './store.ts'

const BATCH = 1_000

/** Walks all records of a dataset, batch by batch. */
export async function* iterateTexts(db: Queryable, datasetId: string, settings: DatasetSettings): AsyncGenerator<TextDocument[]> {
  let after = 0
  while (true) {
    const records = await listRecordsAfter(db, datasetId, after, BATCH)
    const last = records.at(-1)
    if (!last) return
    after = last.no
    yield records.map(record => toTextDocument(settings, JSON.parse(record.fields) as RecordFields, record.no))
  }
}
