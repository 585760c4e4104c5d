import * as api from '@postil/domain/api/records'
import { serve } from '../../http/serve.ts'
import { admitMember, admitReader, admitWriter, admitWriterOfRecord } from './admit.ts'
import { toBulkInput, withRecordCount } from './bulk-input.ts'
import { countMyRecords } from './counts.ts'
import { createRecordsBulk, createRecordsQuietly } from './create-bulk.ts'
import { deleteRecord, deleteRecords } from './delete.ts'
import { prepareRecords, prepareUpsert } from './prepare.ts'
import { getRecord, listSuggestionOptions } from './read.ts'
import { listRecords, searchRecords } from './search.ts'
import { updateRecord, updateRecords } from './update.ts'
import { upsertRecordsBulk } from './upsert-bulk.ts'

export const recordRoutes = [
  serve(
    api.createRecordsBulk,
    (ctx, { params, body }, prepared) =>
      withRecordCount(toBulkInput(body, prepared), given => createRecordsBulk(ctx, params.dataset_id, given)),
    { ...admitWriter, prepare: (ctx, { params, body }) => prepareRecords(ctx, params.dataset_id, body.items) },
  ),
  serve(
    api.upsertRecordsBulk,
    (ctx, { params, body }, prepared) =>
      withRecordCount(toBulkInput(body, prepared), given => upsertRecordsBulk(ctx, params.dataset_id, given)),
    { ...admitWriter, prepare: (ctx, { params, body }) => prepareUpsert(ctx, params.dataset_id, body.items) },
  ),
  serve(
    api.createRecords,
    (ctx, { params, body }, prepared) =>
      withRecordCount(toBulkInput(body, prepared), given => createRecordsQuietly(ctx, params.dataset_id, given)),
    { ...admitWriter, prepare: (ctx, { params, body }) => prepareRecords(ctx, params.dataset_id, body.items) },
  ),
  serve(api.updateRecords, (ctx, { params, body }) => updateRecords(ctx, params.dataset_id, body.items), admitWriter),
  serve(api.listRecords, (ctx, { params, query }) => listRecords(ctx, 'all', params.dataset_id, query)),
  serve(api.listMyRecords, (ctx, { params, query }) => listRecords(ctx, 'mine', params.dataset_id, query)),
  serve(api.deleteRecords, (ctx, { params, query }) => deleteRecords(ctx, params.dataset_id, query.ids)),
  serve(
    api.searchRecords,
    (ctx, { params, query, body }) => searchRecords(ctx, 'all', params.dataset_id, body, query),
    admitReader,
  ),
  serve(
    api.searchMyRecords,
    (ctx, { params, query, body }) => searchRecords(ctx, 'mine', params.dataset_id, body, query),
    admitMember,
  ),
  serve(api.countMyRecords, (ctx, { params, body }) => countMyRecords(ctx, params.dataset_id, body), admitMember),
  serve(api.listSuggestionOptions, (ctx, { params }) => listSuggestionOptions(ctx, params.dataset_id)),
  serve(api.getRecord, (ctx, { params }) => getRecord(ctx, params.record_id)),
  serve(api.updateRecord, (ctx, { params, body }) => updateRecord(ctx, params.record_id, body), admitWriterOfRecord),
  serve(api.deleteRecord, (ctx, { params }) => deleteRecord(ctx, params.record_id)),
]
