/** Undo and redo of a job, against a fake server that responds when the test tells it to. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import { expect, test } from 'vitest'
import { openJobStep } from './job-step.ts'

const turn = () => new Promise<void>(resolve => setTimeout(resolve))

function open(begun: Promise<string | null> = Promise.resolve('job')) {
  const asked: { id: string; answer(undoId: string | null): Promise<void> }[] = []
  const turned: string[] = []
  const beginUndo = (id: string) =>
    new Promise<{ id: string; ended: Promise<BulkJob> } | null>(resolve => {
      const answer = (undoId: string | null) => {
        resolve(undoId === null ? null : { id: undoId, ended: Promise.resolve({ id: undoId } as BulkJob) })
        return turn()
      }
      asked.push({ id, answer })
    })
  const step = openJobStep(begun, { beginUndo }, ({ id }) => turned.push(id))
  return { step, asked, turned, ids: () => asked.map(({ id }) => id) }
}

test('a job is undone, and the undo is undone', async () => {
  const { step, asked, turned, ids } = open()
  step.undo()
  await turn()
  await asked[0]?.answer('undo')
  step.redo()
  await turn()
  await asked[1]?.answer('redo')
  expect([ids(), turned]).toEqual([
    ['job', 'undo'],
    ['undo', 'redo'],
  ])
})

test('a redo waits for the undo before it', async () => {
  const { step, asked, ids } = open()
  step.undo()
  step.redo()
  await turn()
  expect(ids()).toEqual(['job'])
  await asked[0]?.answer('undo')
  expect(ids()).toEqual(['job', 'undo'])
})

test('an undo that failed is not carried out by the redo', async () => {
  const { step, asked, ids } = open()
  step.undo()
  await turn()
  await asked[0]?.answer(null)
  step.redo()
  await turn()
  expect(ids()).toEqual(['job'])
  step.undo()
  await turn()
  expect(ids()).toEqual(['job', 'job'])
})

test('an undo waits until the job has begun; one that could not be begun needs none', async () => {
  const begun = Promise.withResolvers<string | null>()
  const first = open(begun.promise)
  first.step.undo()
  await turn()
  expect(first.ids()).toEqual([])
  begun.resolve('job')
  await turn()
  expect(first.ids()).toEqual(['job'])

  const never = open(Promise.resolve(null))
  never.step.undo()
  never.step.redo()
  await turn()
  expect(never.ids()).toEqual([])
})
