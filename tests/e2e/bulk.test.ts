/** Bulk view: selecting, one answer for all, server jobs, and undo. */
import { describe, expect, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { expectCounts, expectSaved, LABELS, openBulkView, seedPlainRecords, selectedText, tick, totalText } from './bulk-view.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator', each: 'emptied' })

describe('ticking', () => {
  test('by keys: one, a range that shrinks again, all that match, none', async () => {
    await openBulkView(await seedPlainRecords('keys', 30))
    await press('j', 'j', 'Space')
    await expect.poll(selectedText).toBe('1 selected')
    await press('Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowUp')
    await expect.poll(selectedText).toBe('2 selected')
    await press('Control+a')
    await expect.poll(selectedText).toBe('10 selected')
    await press('Control+a')
    await expect.poll(selectedText).toBe('All 30 selected')
    await press('Escape')
    await expect.poll(selectedText).toBe('None selected')
  })

  test('stays from page to page, and a range includes pages that were never shown', async () => {
    await openBulkView(await seedPlainRecords('pages', 60), '?page=31~10')
    await tick(0)
    await press('ArrowRight')
    await expect.poll(() => page.getByTestId('position').innerText()).toBe('41–50')
    await expect.poll(selectedText).toBe('1 selected')
    await press('ArrowRight')
    await expect.poll(() => page.getByTestId('position').innerText()).toBe('51–60')
    await tick(1, true)
    await expect.poll(selectedText).toBe('22 selected')
  })
})

describe('one answer', () => {
  test('goes to the ticked in one request, and back again', async () => {
    const id = await seedPlainRecords('some', 12)
    await openBulkView(id)
    const writes: string[] = []
    page.on('request', request => {
      if (request.url().includes('/responses')) writes.push(request.method())
    })
    await tick(1)
    await tick(3)
    await press('2', 'Enter')
    await expectSaved()
    await expectCounts(id, 10, 0, 0, 2)
    expect(writes).toEqual(['POST'])
    await expect.poll(totalText).toBe('10')
    await page.getByTestId('undo').click()
    await expectCounts(id, 12, 0, 0, 0)
    await expect.poll(selectedText).toBe('2 selected')
    await press('Control+Shift+z')
    await expectCounts(id, 10, 0, 0, 2)
  })

  test('says what is missing', async () => {
    await openBulkView(await seedPlainRecords('missing-bulk', 3))
    await tick(0)
    await page.getByTestId('submit').click()
    await expect.poll(() => page.getByTestId('question-sentiment').innerText()).toContain('Required to submit')
  })

  test('keeps answers to other questions', async () => {
    const id = await seed(world, {
      name: 'merge',
      questions: [label('sentiment', LABELS), label('other', ['a', 'b'], false)],
      records: texts(3),
    })
    const { items } = await world.annotator.client.listMyRecords({ params: { dataset_id: id }, query: { limit: 100 } })
    await world.annotator.client.upsertMyResponsesBulk({
      body: {
        items: items.map(({ id: record_id }) => ({ record_id, status: 'draft' as const, values: { other: { value: 'b' } } })),
      },
    })
    await openBulkView(id, '?page=1~10&status=draft')
    await page.getByTestId('select-all').click()
    await press('1', 'Control+Enter')
    await expectCounts(id, 0, 0, 0, 3)
    const after = await world.annotator.client.listMyRecords({
      params: { dataset_id: id },
      query: { limit: 100, include: ['responses'] },
    })
    const values = after.items.map(({ responses }) => responses?.[0]?.values)
    expect(values).toEqual(Array.from({ length: 3 }, () => ({ other: { value: 'b' }, sentiment: { value: 'good' } })))
  })

  test('that is refused leaves the record ticked, with the reason on its card', async () => {
    const id = await seedPlainRecords('refused', 5)
    await openBulkView(id)
    const [first] = await page
      .getByTestId('record')
      .evaluateAll(cards => cards.map(card => card.getAttribute('data-record-id') ?? ''))
    await world.annotator.client.createResponse({
      params: { record_id: first ?? '' },
      body: { status: 'draft', values: { sentiment: { value: 'mixed' } } },
    })
    await tick(0)
    await tick(1)
    await press('1', 'Enter')
    await expect.poll(() => page.getByTestId('record').first().innerText()).toContain('Not saved')
    await expect.poll(selectedText).toBe('1 selected')
    await expectCounts(id, 3, 1, 0, 1)
  })
})

describe('all that match', () => {
  test('are confirmed with number, answer and status, done by one job, and undone', async () => {
    const id = await seedPlainRecords('all', 260)
    await openBulkView(id)
    await page.getByTestId('select-all-matching').click()
    await press('3', 'Enter')
    const dialog = page.getByRole('alertdialog')
    const words = await dialog.innerText()
    for (const word of ['260', 'mixed', 'Submitted']) expect(words).toContain(word)
    await page.getByTestId('confirm-bulk').click()
    await expectCounts(id, 0, 0, 0, 260)
    await page.getByTestId('undo').click()
    await expectCounts(id, 260, 0, 0, 0)
    await expect.poll(totalText).toBe('260')
    await press('Control+Shift+z')
    await expectCounts(id, 0, 0, 0, 260)
  })

  test('return to pending from another queue', async () => {
    const id = await seedPlainRecords('back', 4)
    await openBulkView(id)
    await page.getByTestId('select-all').click()
    await press('x')
    await expectCounts(id, 0, 0, 4, 0)
    await expectSaved()
    await openBulkView(id, '?page=1~10&status=discarded')
    await page.getByTestId('select-all').click()
    await page.getByTestId('bulk-more').click()
    await page.getByTestId('return-to-pending').click()
    await expectCounts(id, 4, 0, 0, 0)
  })
})

test('suggestions are taken by score, as drafts to look at', async () => {
  const id = await seed(world, { name: 'scores', questions: [label('sentiment', LABELS)], records: [] })
  const { items } = await world.owner.listQuestions({ params: { dataset_id: id } })
  const records = texts(20).map((record, i) => ({
    ...record,
    suggestions: [{ question_id: items[0]?.id ?? '', value: 'bad', score: i / 20 }],
  }))
  await world.owner.createRecordsBulk({ params: { dataset_id: id }, body: { items: records } })
  await openBulkView(id)
  const take = page.getByTestId('take-suggestions')
  await expect.poll(() => take.innerText()).toBe('Accept 2 and review')
  await page.getByTestId('threshold').focus()
  await press('ArrowLeft', 'ArrowLeft')
  await expect.poll(() => take.innerText()).toBe('Accept 4 and review')
  await take.click()
  await expectCounts(id, 16, 4, 0, 0)
  await expect.poll(() => page.url()).toContain('status=draft')
})

test('a hundred cards cost as much as ten', async () => {
  await openBulkView(await seedPlainRecords('hundred', 150), '?page=1~100')
  await expect.poll(() => page.getByTestId('position').innerText()).toBe('1–100')
  await expect.poll(() => page.getByTestId('record').count()).toBeLessThan(30)
  await press('j', 'k', 'k')
  const last = page.getByTestId('record').last()
  await page.getByTestId('record').first().hover()
  await page.mouse.wheel(0, 20_000)
  await expect.poll(() => last.innerText()).toContain('Record number 99')
})

describe('changing between one record and many', () => {
  const isAtCard = () => page.evaluate(() => document.activeElement?.getAttribute('data-index'))
  const isAtRecord = () => page.evaluate(() => document.activeElement?.matches('[data-pane=record]'))

  test('after a click on Bulk, Space ticks the first record', async () => {
    await openDataset(page, await seedPlainRecords('clicked', 12))
    await page.getByTestId('bulk-toggle').click()
    await expect.poll(isAtCard).toBe('0')
    // The keys come with the panel, which may be loaded after the list.
    await page.getByTestId('submit').waitFor()
    await press('Space')
    await expect.poll(selectedText).toBe('1 selected')
    await page.getByTestId('focus-toggle').click()
    await expect.poll(isAtRecord).toBe(true)
    await press('Space')
    expect(await page.getByTestId('select-all').count()).toBe(0)
  })

  test('L and the palette do it, too', async () => {
    await openDataset(page, await seedPlainRecords('by key', 12))
    await press('l')
    await expect.poll(isAtCard).toBe('0')
    await press('l')
    await expect.poll(isAtRecord).toBe(true)
    await press('Control+k')
    await page.keyboard.type('bulk')
    await press('Enter')
    await expect.poll(isAtCard).toBe('0')
  })
})
