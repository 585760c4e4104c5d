/** Texts of a dataset's records in the database, with a copy for comparison. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../../context.ts'
import { logChange } from '../../../events/emit.ts'
import { insertRecords } from '../../../features/records/store.ts'
import { insertHead } from '../../../storage/changes.ts'
import { findSegmentBytes, listSegments } from '../../../storage/text-segments.ts'
import { write } from '../../../storage/write.ts'
import { RECORD_ID } from '../../columns/column-key.ts'
import type { TextDocument } from '../../engine.ts'
import { DatasetIndex } from '../../index/dataset-index.ts'
import { loadColumn } from '../../index/testing/column-blocks.ts'
import { storeSegment } from '../../source/store-segment.ts'

export class StoredTexts {
  readonly ctx: Context
  readonly datasetId: Id
  readonly documents = new Map<number, TextDocument>()

  constructor(ctx: Context) {
    this.ctx = ctx
    this.datasetId = ctx.newId()
  }

  static async open(ctx: Context): Promise<StoredTexts> {
    const texts = new StoredTexts(ctx)
    await insertHead(ctx.db, texts.datasetId, ctx.now())
    return texts
  }

  /** Adds records or changes their texts in one transaction. */
  put(documents: readonly TextDocument[]): Promise<void> {
    const { ctx, datasetId } = this
    const added = documents.filter(({ recordNo }) => !this.documents.has(recordNo))
    for (const document of documents) this.documents.set(document.recordNo, document)
    return write(ctx, async tx => {
      const now = ctx.now()
      const row = { dataset_id: datasetId, external_id: null, status: 'pending', shuffle: 0, fields: '{}', metadata: null }
      const rows = added.map(({ recordNo }) => ({ ...row, no: recordNo, id: ctx.newId(), inserted_at: now, updated_at: now }))
      await insertRecords(tx, rows)
      storeSegment(tx, datasetId, documents)
      logChange(tx, { name: 'flag.created', dataset_id: datasetId })
    })
  }

  async delete(recordNo: number): Promise<void> {
    this.documents.delete(recordNo)
    await this.ctx.db.sql.run('delete from records where no = ?', [recordNo])
  }

  async segmentNos(): Promise<number[]> {
    return (await listSegments(this.ctx.db, this.datasetId)).map(({ segment_no }) => segment_no)
  }

  /** Creates an index from the stored data. */
  async openIndex(fields: readonly string[]): Promise<DatasetIndex> {
    const { db } = this.ctx
    const index = new DatasetIndex(fields)
    const rows = await db.sql.all<{ no: number; id: Id }>(
      'select no, id from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
      [this.datasetId],
    )
    loadColumn(index, RECORD_ID, [{ recordNos: rows.map(({ no }) => no), userIds: [], values: rows.map(({ id }) => id) }])
    const segmentNos = await this.segmentNos()
    index.expectSegments(segmentNos)
    for (const segmentNo of segmentNos) {
      const bytes = await findSegmentBytes(db, this.datasetId, segmentNo)
      if (bytes) index.addSegment(segmentNo, bytes)
    }
    return index
  }
}
