/** Undo of an answer to many records: in other queues, and after a reload. */
import { describe, expect, test } from 'vitest'
import { listRecords } from './annotation-page.ts'
import { expectCounts, expectSaved, openBulkView, seedPlainRecords, selectedText, tick, totalText } from './bulk-view.ts'
import { page, press, takeDesk, world } from './desk.ts'

takeDesk({ as: 'annotator', each: 'emptied' })

test('an answer to many changes what was submitted, in its own queue, and goes back', async () => {
  const id = await seedPlainRecords('submitted', 4)
  await openBulkView(id)
  await page.getByTestId('select-all').click()
  await press('1', 'Enter')
  await expectCounts(id, 0, 0, 0, 4)
  await expectSaved()
  const answers = async () =>
    (await listRecords(world.owner, id)).map(({ responses }) => responses?.[0]?.values.sentiment?.value ?? null)
  await openBulkView(id, '?page=1~10&status=submitted')
  await tick(0)
  await tick(1)
  await press('2', 'Enter')
  await expectSaved()
  await expect.poll(answers).toEqual(['bad', 'bad', 'good', 'good'])
  await expect.poll(totalText).toBe('4')
  await expect.poll(selectedText).toBe('None selected')
  await expect.poll(() => page.getByTestId('record').first().innerText()).toContain('bad')
  await page.getByTestId('undo').click()
  await expect.poll(answers).toEqual(['good', 'good', 'good', 'good'])
  await press('Escape')
  await tick(2)
  await press('x')
  await expectCounts(id, 0, 0, 1, 3)
  await expect.poll(totalText).toBe('3')
})

describe('a few, after a reload', () => {
  const recordIds = () =>
    page.getByTestId('record').evaluateAll(cards => cards.map(card => card.getAttribute('data-record-id') ?? ''))
  async function undoFromRecent() {
    await page.getByRole('button', { name: 'Recent' }).click()
    await page.getByTestId('undo-bulk').first().click()
    return page.getByTestId('recent-jobs').getByRole('status')
  }
  async function answerFive(id: string) {
    await openBulkView(id)
    for (let i = 0; i < 5; i++) await tick(i)
    await press('1', 'Enter')
    await expectSaved()
  }

  test('are as before when they are taken back, answers and all', async () => {
    const id = await seedPlainRecords('group', 8)
    await openBulkView(id)
    const [first = '', second = ''] = await recordIds()
    await world.annotator.client.upsertMyResponsesBulk({
      body: {
        items: [first, second].map(record_id => ({
          record_id,
          status: 'draft' as const,
          values: { sentiment: { value: 'mixed' } },
        })),
      },
    })
    await openBulkView(id, '?page=1~10&status=draft')
    await page.getByTestId('select-all').click()
    await press('1', 'Enter')
    await expectCounts(id, 6, 0, 0, 2)
    await expectSaved()
    await answerFive(id)
    await expectCounts(id, 1, 0, 0, 7)

    await page.reload()
    await page.getByTestId('record').first().waitFor()
    const said = await undoFromRecent()
    await expect.poll(() => said.innerText()).toBe('5 records were restored.')
    await expectCounts(id, 6, 0, 0, 2)
    await expect.poll(totalText).toBe('6')
    await expect.poll(() => page.getByTestId('undo-bulk').count()).toBe(1)
    await page.getByTestId('undo-bulk').click()
    await expect.poll(() => said.innerText()).toBe('2 records were restored.')
    await expectCounts(id, 6, 2, 0, 0)
    const values = (await listRecords(world.owner, id)).flatMap(
      ({ responses }) => responses?.map(response => response.values) ?? [],
    )
    expect(values).toEqual([{ sentiment: { value: 'mixed' } }, { sentiment: { value: 'mixed' } }])
    await expect.poll(() => page.getByTestId('undo-bulk').count()).toBe(0)

    // An undo can itself be undone.
    await press('Escape', 'Control+z')
    await expectCounts(id, 6, 0, 0, 2)
  })

  test('stay as they are where they were changed since', async () => {
    const id = await seedPlainRecords('group-changed', 6)
    await answerFive(id)
    const { items } = await world.annotator.client.listMyRecentResponses({ params: { dataset_id: id } })
    await world.annotator.client.updateResponse({
      params: { response_id: items[0]?.response_id ?? '' },
      body: { status: 'submitted', values: { sentiment: { value: 'bad' } } },
    })
    await page.goto(`dataset/${id}/annotation-mode`)
    await page.getByTestId('submit').waitFor()
    const said = await undoFromRecent()
    await expect
      .poll(() => said.innerText())
      .toBe('4 records were restored. 1 record was changed since then and was not restored.')
    await expectCounts(id, 5, 0, 0, 1)
    await press('Escape')
    await expect.poll(totalText).toBe('5')
  })
})
