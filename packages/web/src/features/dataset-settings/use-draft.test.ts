import { expect, test } from 'vitest'
import { createApp, effectScope, nextTick, shallowRef } from 'vue'
import { requiredIssue } from './issues.ts'
import { useDraft } from './use-draft.ts'

interface Texts {
  title: string
  hint: string
}

function open(save: (draft: Texts, changed: readonly string[]) => Promise<void> = async () => {}) {
  const stored = shallowRef<Texts>({ title: 'Topic', hint: '' })
  const scope = effectScope()
  const made = createApp({}).runWithContext(() =>
    scope.run(() =>
      useDraft<Texts>({
        stored: () => stored.value,
        names: { title: 'common.title', hint: 'common.description' },
        check: ({ title }) => ({ title: requiredIssue(title, 10) }),
        async save(draft, changed) {
          await save(draft, changed)
          stored.value = { ...draft, title: draft.title.trim() }
        },
      }),
    ),
  )
  if (!made) throw new Error('no scope')
  return { stored, scope, ...made }
}

test('lists changed parts, and none after they are reverted', () => {
  const { draft, change, block } = open()
  expect(block.changed.value).toEqual([])
  change({ title: 'Topics' })
  expect(block.changed.value).toEqual(['common.title'])
  change({ title: 'Topic' })
  expect(block.changed.value).toEqual([])
  change({ hint: 'h' })
  block.cancel()
  expect(draft.value).toEqual({ title: 'Topic', hint: '' })
})

test('does not save what is not valid', async () => {
  let saves = 0
  const { change, block } = open(async () => void saves++)
  await block.update()
  change({ title: '' })
  expect(block.isValid.value).toBe(false)
  await block.update()
  expect(saves).toBe(0)
})

test('shows what was stored after a save', async () => {
  const { draft, change, block } = open()
  change({ title: ' New ' })
  await block.update()
  expect(draft.value.title).toBe('New')
  expect(block.changed.value).toEqual([])
  expect(block.isSaved.value).toBe(true)
})

test('keeps edits and the reason when a save is refused', async () => {
  const { draft, change, block } = open(() => Promise.reject(new Error('taken')))
  change({ title: 'New' })
  await block.update()
  expect(draft.value.title).toBe('New')
  expect(block.problem.value).toEqual(new Error('taken'))
  expect(block.changed.value).toEqual(['common.title'])
})

test('keeps what is typed while it saves', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { draft, change, block } = open(() => promise)
  change({ title: 'New' })
  const saving = block.update()
  change({ title: 'Newer' })
  resolve()
  await saving
  expect(draft.value.title).toBe('Newer')
  expect(block.changed.value).toEqual(['common.title'])
})

test('follows changes saved by another block, unless it is edited', async () => {
  const { stored, draft, change } = open()
  stored.value = { title: 'Other', hint: '' }
  await nextTick()
  expect(draft.value.title).toBe('Other')
  change({ title: 'Mine' })
  stored.value = { title: 'Other', hint: 'h' }
  await nextTick()
  expect(draft.value.title).toBe('Mine')
})
