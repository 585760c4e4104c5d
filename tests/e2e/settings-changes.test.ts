/** Changes to the settings of a dataset that already has answers, in a real browser. */
import { expect, test } from 'vitest'
import { listRecords, openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'admin', allow: [/409/, /422/] })

const openTab = async (id: string, tab: string) => {
  await page.goto(`dataset/${id}/settings?tab=${tab}`)
  await page.locator(`[data-tab=${tab}][aria-current]`).waitFor()
}
const questionOf = async (id: string, name: string) => {
  const { items } = await world.owner.listQuestions({ params: { dataset_id: id } })
  const question = items.find(one => one.name === name)
  if (!question) throw new Error(`there is no question ${name}`)
  return question
}
const labelsOf = async (id: string, name: string) => {
  const { settings } = await questionOf(id, name)
  return 'options' in settings ? settings.options.map(({ value }) => value) : []
}
const moods = (name: string, count = 3) =>
  seed(world, {
    name,
    questions: [label('mood', ['good', 'bad', 'mixed']), label('topic', ['a', 'b'], false)],
    records: texts(count),
  })

async function answer(id: string, value: string) {
  const [record] = await listRecords(world.owner, id)
  const body = { status: 'submitted' as const, values: { mood: { value } } }
  await world.annotator.client.createResponse({ params: { record_id: record?.id ?? '' }, body })
}

test('labels are added as a pasted list, and edits of the question that are not saved stay', async () => {
  const id = await moods('adding labels')
  await openTab(id, 'questions')
  const block = page.getByTestId('block-question-mood')
  await block.getByRole('textbox', { name: 'Title' }).fill('How does it sound?')
  await block.getByRole('textbox', { name: 'Name of label good' }).fill('Very good')
  await block.getByTestId('add-labels').click()
  await page.getByTestId('new-labels').fill('awful\nbad\nugly\tUgly one\tNobody likes it')
  expect(await page.getByText('1 label already exists: bad').count()).toBe(1)
  await page.getByTestId('add-labels-now').click()
  await expect.poll(() => labelsOf(id, 'mood')).toEqual(['good', 'bad', 'mixed', 'awful', 'ugly'])
  await block.getByTestId('update').click()
  await block.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  const { title, settings } = await questionOf(id, 'mood')
  expect(title).toBe('How does it sound?')
  expect(settings).toMatchObject({
    options: [
      { value: 'good', text: 'Very good' },
      { value: 'bad' },
      { value: 'mixed' },
      { value: 'awful' },
      { value: 'ugly', text: 'Ugly one', description: 'Nobody likes it' },
    ],
  })
})

test('a label gets a description', async () => {
  const id = await moods('describing a label')
  await openTab(id, 'questions')
  const block = page.getByTestId('block-question-mood')
  await block.getByTestId('edit-label').first().click()
  await page.getByTestId('label-description').fill('When people smile')
  await page.getByTestId('apply-label').click()
  await block.getByTestId('update').click()
  await block.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  expect((await questionOf(id, 'mood')).settings).toMatchObject({ options: [{ description: 'When people smile' }, {}, {}] })
})

test('a used label is replaced in answers, after its uses were shown', async () => {
  const id = await moods('replacing a label')
  await answer(id, 'bad')
  await openTab(id, 'questions')
  await page.getByTestId('block-question-mood').getByTestId('edit-label').nth(1).click()
  await expect.poll(() => page.getByTestId('label-uses').innerText()).toBe('Used in 1 answer and 0 suggestions.')
  await page.getByTestId('way-replace').click()
  await page.getByTestId('replace-by').selectOption('mixed')
  await page.getByTestId('apply-label').click()
  // Nothing has happened yet.
  expect(await labelsOf(id, 'mood')).toEqual(['good', 'bad', 'mixed'])
  await page.getByTestId('replace-label').click()
  await expect.poll(() => page.getByTestId('label-job').innerText()).toContain('Done.')
  await page.getByTestId('close-label').click()
  expect(await labelsOf(id, 'mood')).toEqual(['good', 'mixed'])
  const [record] = await listRecords(world.owner, id)
  expect(record?.responses).toMatchObject([{ status: 'submitted', values: { mood: { value: 'mixed' } } }])
  // There are no unsaved changes.
  expect(await page.getByTestId('block-question-mood').getByText('Changed:').count()).toBe(0)
})

test('a label that is removed from a required answer reopens the record', async () => {
  const id = await moods('removing a label')
  await answer(id, 'bad')
  await openTab(id, 'questions')
  await page.getByTestId('block-question-mood').getByTestId('edit-label').nth(1).click()
  await page.getByTestId('way-remove').click()
  await page.getByTestId('apply-label').click()
  await expect.poll(() => page.getByTestId('label-ask').innerText()).toBe('Remove “bad” everywhere?')
  await page.getByTestId('replace-label').click()
  await expect.poll(() => page.getByTestId('label-job').innerText()).toContain('Done.')
  const [record] = await listRecords(world.owner, id)
  expect(record).toMatchObject({ status: 'pending', responses: [{ status: 'draft', values: {} }] })
})

test('a changed value of a label is changed back in answers, with its description', async () => {
  const id = await moods('renaming a label')
  await answer(id, 'bad')
  const valueOfAnswer = async () => (await listRecords(world.owner, id))[0]?.responses?.[0]?.values?.mood?.value
  await openTab(id, 'questions')
  await page.getByTestId('block-question-mood').getByTestId('edit-label').nth(1).click()
  await page.getByTestId('way-rename').click()
  await page.getByTestId('rename-to').fill('poor')
  await page.getByTestId('apply-label').click()
  await expect.poll(() => page.getByTestId('label-job').innerText()).toContain('Done.')
  expect(await labelsOf(id, 'mood')).toEqual(['good', 'poor', 'mixed'])
  expect(await valueOfAnswer()).toBe('poor')
  await page.getByTestId('undo-label').click()
  await expect.poll(() => page.getByTestId('label-job').innerText()).toContain('Undone.')
  expect(await labelsOf(id, 'mood')).toEqual(['good', 'bad', 'mixed'])
  expect(await valueOfAnswer()).toBe('bad')
  await page.getByTestId('close-label').click()
  expect(await page.getByTestId('block-question-mood').getByText('Changed:').count()).toBe(0)
})

test('questions become required and change their order; one must stay required', async () => {
  const id = await moods('required and order')
  await openTab(id, 'questions')
  const mood = page.getByTestId('block-question-mood')
  await mood.getByRole('switch', { name: 'Required' }).click()
  await mood.getByTestId('update').click()
  await mood.getByRole('alert').filter({ hasText: 'at least one required question' }).waitFor()
  await mood.getByTestId('cancel').click()

  const topic = page.getByTestId('block-question-topic')
  await topic.getByRole('button', { name: 'Which topic' }).click()
  await topic.getByRole('switch', { name: 'Required' }).click()
  await topic.getByTestId('update').click()
  await topic.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  expect((await questionOf(id, 'topic')).required).toBe(true)

  const order = page.getByTestId('block-order')
  await order.getByRole('button', { name: 'Order of questions' }).click()
  await order.getByRole('button', { name: 'Move Which topic up' }).press('Enter')
  await expect.poll(() => order.getByTestId('order-row').first().innerText()).toContain('Which topic')
  await order.getByTestId('update').click()
  await order.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  const { items } = await world.owner.listQuestions({ params: { dataset_id: id } })
  expect(items.map(({ name }) => name)).toEqual(['topic', 'mood'])
})

test('the annotation page opens with the view and page size of the dataset', async () => {
  const id = await moods('default view', 30)
  await openTab(id, 'general')
  const block = page.getByTestId('block-view')
  await block.getByTestId('view-bulk').check()
  await block.getByTestId('view-size').selectOption('25')
  await block.getByTestId('update').click()
  await block.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await page.goto(`dataset/${id}/annotation-mode`)
  await expect.poll(() => page.getByTestId('position').innerText()).toBe('1–25')
  await page.getByTestId('focus-toggle').click()
  await page.getByTestId('submit').waitFor()
  expect(await page.getByTestId('select-all').count()).toBe(0)
  // A page number in the URL takes precedence.
  await openDataset(page, id, '?page=2')
  expect(await page.getByTestId('select-all').count()).toBe(0)
})

test('metadata properties and vectors are added', async () => {
  const id = await moods('new parts')
  await openTab(id, 'metadata')
  await page.getByTestId('open-new').click()
  const form = page.getByTestId('new-part')
  await form.getByRole('textbox', { name: 'Name' }).fill('length')
  await form.getByTestId('property-type').selectOption('integer')
  await form.getByRole('textbox', { name: 'Minimum' }).fill('5')
  await form.getByRole('textbox', { name: 'Maximum' }).fill('4')
  await form.getByRole('alert').filter({ hasText: 'greater than the minimum' }).waitFor()
  await form.getByRole('textbox', { name: 'Maximum' }).fill('9')
  await form.getByTestId('add-part').click()
  await page.getByTestId('block-metadata-length').waitFor()
  const { items } = await world.owner.listMetadataProperties({ params: { dataset_id: id } })
  expect(items).toMatchObject([{ name: 'length', title: 'length', settings: { type: 'integer', min: 5, max: 9 } }])

  await page.locator('[data-tab=vector]').click()
  await page.getByTestId('open-new').click()
  await form.getByRole('textbox', { name: 'Name' }).fill('embed')
  await form.getByRole('spinbutton', { name: 'Dimensions' }).fill('3')
  await form.getByTestId('add-part').click()
  await page.getByTestId('block-vector-embed').waitFor()
})

test('records that match a filter are counted, and deleted once the name is typed', async () => {
  const name = 'deleting records'
  const records = texts(12, i => (i % 3 === 0 ? `An apple ${i}` : `A pear ${i}`))
  const id = await seed(world, { name, questions: [label('mood', ['good', 'bad'])], records })
  await openTab(id, 'danger-zone')
  await page.getByTestId('choose-records').click()
  await expect.poll(() => page.getByTestId('delete-count').innerText()).toBe('12 records match.')
  await page.getByTestId('delete-search').fill('apple')
  await page.getByTestId('delete-search').press('Tab')
  await expect.poll(() => page.getByTestId('delete-count').innerText()).toBe('4 records match.')
  await page.getByTestId('delete-matching').click()
  expect(await page.getByTestId('delete-records-confirm').isDisabled()).toBe(true)
  await page.getByTestId('delete-records-name').fill(name)
  await page.getByTestId('delete-records-confirm').click()
  await expect.poll(() => page.getByTestId('delete-progress').innerText()).toBe('4 of 4 records deleted.')
  const left = await listRecords(world.owner, id)
  expect(left.map(({ fields }) => String(fields.text).slice(0, 6))).toEqual(Array.from({ length: 8 }, () => 'A pear'))
  await page.getByTestId('deletion-done').click()
  await expect.poll(() => page.getByTestId('delete-count').innerText()).toBe('No records match.')
})

test('a number of records that changed meanwhile is not deleted', async () => {
  const name = 'counted before'
  const id = await seed(world, { name, questions: [label('mood', ['good', 'bad'])], records: texts(3) })
  await openTab(id, 'danger-zone')
  await page.getByTestId('choose-records').click()
  await expect.poll(() => page.getByTestId('delete-count').innerText()).toBe('3 records match.')
  await page.getByTestId('delete-matching').click()
  await world.owner.createRecordsBulk({ params: { dataset_id: id }, body: { items: [{ fields: { text: 'One more' } }] } })
  await page.getByTestId('delete-records-name').fill(name)
  await page.getByTestId('delete-records-confirm').click()
  await page.getByRole('alert').filter({ hasText: 'Not deleted' }).waitFor()
  expect(await listRecords(world.owner, id)).toHaveLength(4)
})
