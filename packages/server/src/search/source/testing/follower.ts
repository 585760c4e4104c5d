/** An index that only stores documents, for comparison with the tables. */
import type { Id } from '@postil/domain/schema'
import type { DocumentSettings, SearchDocument } from '@postil/domain/search/document'
import { findHeadNumber } from '../../../storage/changes.ts'
import type { Database, Queryable } from '../../../storage/database.ts'
import { hasColumn, readCatchUpSteps } from '../follow.ts'
import { readDocuments } from '../read-documents.ts'
import { readColumn } from './column-values.ts'
import { settingsOf } from './dataset.ts'

/** Reads all documents of a dataset from the tables. */
export async function readAll(db: Queryable, datasetId: Id): Promise<Map<number, SearchDocument>> {
  const nos = await db.sql.column<number>(
    'select no from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
    [datasetId],
  )
  return (await readDocuments(db, await settingsOf(db, datasetId), nos)).documents
}

export class Follower {
  readonly documents = new Map<number, SearchDocument>()
  readonly #datasetId: Id
  changeNo = 0
  #settings: DocumentSettings = { textFields: [], metadataProperties: [], questions: [] }

  constructor(datasetId: Id) {
    this.#datasetId = datasetId
  }

  /** Catches up and returns the documents of the tables in the same snapshot. */
  async catchUp(db: Database): Promise<Map<number, SearchDocument>> {
    return db.snapshot(async snapshot => {
      const head = (await findHeadNumber(snapshot, this.#datasetId)) ?? 0
      for await (const step of readCatchUpSteps(snapshot, this.#datasetId, { after: this.changeNo, head })) {
        if (step.kind !== 'step') throw new Error(`The follower cannot go on: ${step.kind}`)
        if (step.settings) await this.#changeSettings(snapshot, step.settings.documents)
        for (const [no, document] of step.documents) this.documents.set(no, document)
        for (const no of step.removed) this.documents.delete(no)
        this.changeNo = step.changeNo
      }
      return readAll(snapshot, this.#datasetId)
    })
  }

  /** Drops the columns of deleted properties and loads new ones, like an index does on demand. */
  async #changeSettings(db: Queryable, settings: DocumentSettings): Promise<void> {
    for (const { id } of this.#settings.metadataProperties) {
      if (hasColumn(settings, { kind: 'metadata', propertyId: id, as: 'keyword' })) continue
      for (const { metadata } of this.documents.values()) metadata.delete(id)
    }
    const known = new Set(this.#settings.metadataProperties.map(({ id }) => id))
    this.#settings = settings
    const dataset = { id: this.#datasetId, settings: await settingsOf(db, this.#datasetId) }
    for (const { id } of settings.metadataProperties.filter(property => !known.has(property.id))) {
      for await (const block of readColumn(db, dataset, { kind: 'metadata', propertyId: id, as: 'keyword' })) {
        for (const [i, no] of block.recordNos.entries()) {
          const values = [block.values[i] ?? []].flat()
          if (values.length > 0) this.documents.get(no)?.metadata.set(id, values)
        }
      }
    }
  }
}
