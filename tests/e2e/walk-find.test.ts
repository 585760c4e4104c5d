/** Record order: sort keys, similarity, suggestions. */
import type { RecordCreate } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import { expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { begin, page, press, question, takeDesk, world } from './desk.ts'
import { multiLabel, rating, text } from './question-plans.ts'
import { label, type Plan, seed, texts } from './seed.ts'

// 422 for a record without a vector.
takeDesk({ as: 'admin', allow: [/status of 422/] })

const head = () => currentRecord(page).locator('header').innerText()
const total = () => page.getByTestId('total').first().innerText()

/** Seeds records with suggestions: question name -> suggestion for record i. */
async function suggest(
  name: string,
  plan: Partial<Plan> & Pick<Plan, 'questions'>,
  of: Record<string, (i: number) => Partial<Suggestion>>,
) {
  const { records = texts(3), ...rest } = plan
  const id = await seed(world, { name, records: [], ...rest })
  const params = { dataset_id: id }
  const { items: questions } = await world.owner.listQuestions({ params })
  const items = records.map((record, i) => ({
    ...record,
    suggestions: questions.flatMap(one => (of[one.name] ? [{ question_id: one.id, agent: 'm', ...of[one.name]?.(i) }] : [])),
  }))
  await world.owner.createRecordsBulk({ params, body: { items } } as Parameters<typeof world.owner.createRecordsBulk>[0])
  await openDataset(page, id)
  return id
}

test('records are ordered by each key in both directions, and by several', async () => {
  const id = await suggest(
    'order',
    {
      questions: [label('mood', ['good', 'bad']), multiLabel('topics', ['a', 'b']), rating('quality', [1, 2, 3, 4])],
      metadata: [
        { name: 'kind', title: 'Kind', settings: { type: 'terms' }, visible_for_annotators: true },
        { name: 'pages', title: 'Pages', settings: { type: 'integer' }, visible_for_annotators: true },
      ],
      records: texts(4).map((record, i) => ({ ...record, metadata: { kind: i < 2 ? 'x' : 'y', pages: [3, 1, 2, 0][i] ?? 0 } })),
    },
    {
      mood: i => ({ value: 'good', score: [0.2, 0.9, 0.1, 0.5][i] ?? 0 }),
      topics: i => ({ value: ['a'], score: [[0.3, 0.2, 0.8, 0.6][i] ?? 0] }),
      quality: i => ({ value: [2, 3, 4, 1][i] ?? 1, score: [0.4, 0.6, 0.5, 0.7][i] ?? 0 }),
    },
  )
  const first = async () => /number (\d)/.exec(await currentRecord(page).innerText())?.[1]
  const sort = async (...keys: string[]) => {
    await openDataset(page, id)
    await page.getByTestId('sort').click()
    for (const key of keys) await page.getByTestId('add-sort').selectOption({ label: key })
  }
  for (const [key, lowest, highest] of [
    ['Score of Which mood', '2', '1'],
    ['Score of Which topics', '1', '2'],
    ['Score of Rate quality', '0', '3'],
    ['Suggested Rate quality', '3', '2'],
    ['Pages', '3', '0'],
    ['Added', '0', '3'],
  ] as const) {
    await sort(key)
    await expect.poll(first, { message: key }).toBe(lowest)
    await page.locator('.order').click()
    await expect.poll(first, { message: key }).toBe(highest)
  }
  await sort('Kind', 'Pages')
  await expect.poll(first).toBe('1')
  await page.locator('.order').first().click()
  await expect.poll(first).toBe('3')
  await page.getByRole('button', { name: 'Move Pages up' }).click()
  await page.locator('.order').first().click()
  await expect.poll(first).toBe('0')
})

test('similar records: how many, most or least, the reference, filters, and one without a vector', async () => {
  const toRecord = (record: RecordCreate, i: number) => ({
    ...record,
    metadata: { even: i % 2 === 0 ? 'yes' : 'no' },
    ...(i === 5 ? {} : { vectors: { meaning: [Math.cos(i / 30), Math.sin(i / 30)] } }),
  })
  const id = await begin('similar', {
    questions: [label('mood', ['good', 'bad']), text('note', false)],
    metadata: [{ name: 'even', title: 'Even', settings: { type: 'terms' }, visible_for_annotators: true }],
    vectors: [{ name: 'meaning', title: 'Meaning', dimensions: 2 }],
    records: texts(60).map(toRecord),
  })
  await page.getByTestId('find-similar').click()
  await expect.poll(total).toBe('50')
  await expectRecordText(page, 'Record number 1')
  await expect.poll(head).toMatch(/100% similar/)
  const limits = page.getByTestId('similar-limit')
  await expect
    .poll(() => limits.locator('option').allInnerTexts())
    .toEqual(['10 results', '50 results', '100 results', '200 results'])
  await limits.selectOption('10')
  await expect.poll(total).toBe('10')
  await limits.selectOption('200')
  await expect.poll(total).toBe('58')
  await page.getByLabel('Order').selectOption('least')
  await expectRecordText(page, 'Record number 59')
  await expect.poll(head).toMatch(/\b[1-4]\d% similar/)
  await page.getByRole('button', { name: 'Show full record' }).click()
  await expect.poll(() => page.getByRole('group', { name: 'Reference record' }).innerText()).toContain('number 0')
  await page.goto(`${page.url()}&metadata=even.yes`)
  await expect.poll(total).toBe('29')
  await page.getByTestId('close-similarity').click()
  await expect.poll(total).toBe('30')
  await openDataset(page, id, `?search=${encodeURIComponent('"number 5"')}`)
  await expectRecordText(page, 'Record number 5')
  await page.getByTestId('find-similar').click()
  await page.getByText('This record does not have this vector').waitFor()
  expect(page.url()).not.toContain('similarity')
})

test('suggested labels stand in front, best first, and keep their numbers', async () => {
  const topics = multiLabel('topics', ['a', 'b', 'c', 'd', 'e'], 3)
  const first = { ...topics, settings: { ...topics.settings, options_order: 'suggestion' } } as typeof topics
  await suggest(
    'first',
    { questions: [first, text('note', false)] },
    { topics: () => ({ value: ['e', 'd'], score: [0.4, 0.9] }) },
  )
  const shown = () =>
    question('topics')
      .getByTestId('option')
      .evaluateAll(all => all.map(one => one.getAttribute('data-value')))
  await expect.poll(shown).toEqual(['d', 'e', 'a'])
  await press('2')
  // It is folded, so it is listed with the selected options.
  const pinned = question('topics').locator('[data-testid=pinned-option]')
  await expect.poll(() => pinned.evaluateAll(all => all.map(one => one.getAttribute('data-value')))).toContain('b')
})
