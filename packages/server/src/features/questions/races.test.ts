/** Concurrent answers with a label that is being replaced are either converted or rejected, never left unchanged. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { addBulkDataset, addRecords, answer, type BulkDataset, plain, runJobs } from '../bulk-jobs/testing/bulk.ts'
import type { TestPlace } from '../datasets/testing/datasets.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { updateRecord } from '../records/update.ts'
import { upsertRecordsBulk } from '../records/upsert-bulk.ts'
import { putSuggestion } from '../suggestions/write.ts'
import { addQuestionOptions, getOptionUses, migrateQuestionOption } from './labels.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('a label that is replaced', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let place: TestPlace
    let lead: RequestContext
    let annotator: RequestContext
    let dataset: BulkDataset
    let recordId: Id
    beforeAll(async () => {
      other = openAnother()
      const ctx = inProcess(opened, db())
      place = { owner: await actAs(ctx, 'owner'), workspaceId: await addWorkspace(ctx) }
      lead = inProcess(place.owner, other)
      annotator = await actAs(ctx, 'annotator', [place.workspaceId])
    })
    beforeEach(async () => {
      dataset = await addBulkDataset(place)
      await addQuestionOptions(place.owner, dataset.moodId, { options: [{ value: 'so-so', text: 'so-so' }] })
      recordId = (await addRecords(place, dataset, plain(1)))[0] as Id
    })
    afterAll(() => other.close())

    const replace = (ctx: RequestContext) => migrateQuestionOption(ctx, dataset.moodId, { from: 'bad', to: 'so-so' })
    const uses = async () => {
      await runJobs(place.owner)
      const [bad, soSo] = [await getOptionUses(lead, dataset.moodId, 'bad'), await getOptionUses(lead, dataset.moodId, 'so-so')]
      return { bad: bad.responses + bad.suggestions, soSo: soSo.responses + soSo.suggestions }
    }
    const suggestion = () => ({ question_id: dataset.moodId, value: 'bad' })

    const WRITES: { [name: string]: (ctx: RequestContext) => Promise<unknown> } = {
      'a response': ctx =>
        answer({ ...ctx, actor: annotator.actor }, recordId, { status: 'submitted', values: { mood: { value: 'bad' } } }),
      'a suggestion': ctx => putSuggestion(ctx, recordId, suggestion(), { replace: true }),
      'a record': ctx => updateRecord(ctx, recordId, { suggestions: [suggestion()] }),
      'new records': ctx => createRecordsBulk(ctx, dataset.id, [{ fields: { text: 'pear' }, suggestions: [suggestion()] }]),
      'an upsert': ctx => upsertRecordsBulk(ctx, dataset.id, [{ id: recordId, suggestions: [suggestion()] }]),
    }

    test.each(Object.keys(WRITES))('after %s was written with it is replaced there', async name => {
      const results = await race(db(), {
        first: gated => (WRITES[name] as (typeof WRITES)[string])(gated(place.owner)),
        second: () => replace(lead),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await uses()).toEqual({ bad: 0, soSo: 1 })
    })

    test.each(Object.keys(WRITES))('before %s is written with it is refused there', async name => {
      const results = await race(db(), {
        first: gated => replace(gated(place.owner)),
        second: () => (WRITES[name] as (typeof WRITES)[string])(lead),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await uses()).toEqual({ bad: 0, soSo: 0 })
    })

    test('by two people at once is replaced by the first', async () => {
      const results = await race(db(), { first: gated => replace(gated(place.owner)), second: () => replace(lead) })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'conflict' } }])
    })
  })
})
