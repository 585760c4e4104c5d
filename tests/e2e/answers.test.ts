/** Behaviour of question forms other than keys: folding, letters, dragging, limits. */
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset } from './annotation-page.ts'
import { begin, beginSuggested, option, page, press, question, submitAndRead, takeDesk, world } from './desk.ts'
import { multiLabel, ranking, rating, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'admin', env: { SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '1000' } })

const isOn = (name: string, value: string) => option(name, value).getAttribute('aria-checked')
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `label ${i + 1}`)

describe('answer and go', () => {
  test('is a switch beside the form where one key answers everything, and the same one as in my settings', async () => {
    const id = await begin('go', { questions: [label('mood', ['good', 'bad'])] })
    const toggle = page.locator('[data-testid=answer-and-go]:visible')
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
    await press('1')
    await expectRecordText(page, 'Record number 1')
    await toggle.click()
    await press('2')
    await expect.poll(() => isOn('mood', 'bad')).toBe('true')
    await expectRecordText(page, 'Record number 1')
    expect(await submitAndRead(id, 1)).toEqual({ mood: 'bad' })
    await page.goto('user-settings?tab=keys')
    const setting = page.getByRole('switch', { name: 'Submit on answer' })
    await expect.poll(() => setting.getAttribute('aria-checked')).toBe('false')
    await setting.click()
  })

  test('is not there with two questions', async () => {
    await begin('no-go', { questions: [label('mood', ['good', 'bad']), rating('quality', [1, 2])] })
    expect(await page.getByTestId('answer-and-go').count()).toBe(0)
  })
})

const pinned = () =>
  question('topic')
    .getByTestId('pinned-option')
    .evaluateAll(chips => chips.map(chip => chip.getAttribute('data-value')))

describe('labels', () => {
  test('behind the fold: selected ones stay seen, Tab past the last opens it, and it stays so after a reload', async () => {
    await begin('fold', { questions: [multiLabel('topic', numbered(8), 3), text('note', false)] })
    const shown = () => question('topic').getByTestId('option').count()
    await expect.poll(shown).toBe(3)
    await press('7')
    await expect.poll(pinned).toEqual(['label 7'])
    expect(await shown()).toBe(3)
    await press('Tab', 'Shift+1')
    await option('topic', 'label 3').focus()
    await press('Tab')
    await expect.poll(shown).toBe(8)
    await page.reload()
    await expect.poll(shown).toBe(8)
    await question('topic').getByTestId('option-fold').click()
    await expect.poll(shown).toBe(3)
    expect(await pinned()).toEqual(['label 7'])
  })

  test('two hundred: selected ones stay in view during a search, and the list stays where it is', async () => {
    const id = await begin('two hundred', { questions: [multiLabel('topic', numbered(200), 20), text('note', false)] })
    const placeOf = async (value: string) => (await option('topic', value).boundingBox())?.y
    const before = await placeOf('label 5')
    await press('Tab')
    for (const name of ['label 150', 'label 7', 'label 99']) {
      await page.getByTestId('option-search').fill(name)
      await press('Enter')
    }
    // The last one is marked in the list of hits.
    await expect.poll(pinned).toEqual(['label 7', 'label 150'])
    await expect.poll(() => isOn('topic', 'label 99')).toBe('true')
    expect(await page.getByTestId('option-fold').isVisible()).toBe(false)
    await press('Enter', 'Escape')
    await expect.poll(() => page.getByTestId('option-fold').innerText()).toContain('180')
    expect(await placeOf('label 5')).toBe(before)
    await expect.poll(pinned).toEqual(['label 99', 'label 150'])
    // A click removes the option, and the next one gets the focus.
    await question('topic').getByTestId('pinned-option').first().click()
    await expect.poll(pinned).toEqual(['label 150'])
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-key'))).toBe('pinned label 150')
    expect(await submitAndRead(id)).toEqual({ topic: ['label 7', 'label 150'] })
    // On the next record, nothing is selected and three options are recent; all others have not moved.
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => question('topic').getByTestId('recent-option').count()).toBe(3)
    expect(await pinned()).toEqual([])
    expect(await placeOf('label 5')).toBe(before)
  })

  test('letters that a lead gave pick them while an option has the focus', async () => {
    const id = await begin('letters', {
      questions: [label('mood', ['good', 'bad']), text('note', false)],
      options: { letters: { mood: { good: 'x', bad: 'b' } } },
    })
    await press('Tab', 'x')
    await expect.poll(() => isOn('mood', 'good')).toBe('true')
    await expectRecordText(page, 'Record number 0')
    expect(await submitAndRead(id)).toEqual({ mood: 'good' })
  })

  test('more than thirty: those used lately stand in front on the next record', async () => {
    await begin('recent', { questions: [multiLabel('topic', numbered(40)), text('note', false)] })
    await press('Tab')
    await page.keyboard.type('label 33')
    await press('Enter', 'Enter', 'Escape', 'Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => question('topic').getByTestId('recent-option').first().getAttribute('data-value')).toBe('label 33')
    // A selected one is drawn once, in the list, and has the focus there.
    await question('topic').getByTestId('recent-option').first().click()
    await expect.poll(() => isOn('topic', 'label 33')).toBe('true')
    expect(await question('topic').locator('[data-value="label 33"]:visible').count()).toBe(1)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-key'))).toBe('label 33')
    // Unless a search hides it there.
    await page.getByTestId('option-search').fill('label 12')
    await expect.poll(pinned).toEqual(['label 33'])
  })

  test('a thousand are found and scrolled, and few of them are drawn', async () => {
    await begin('thousand', { questions: [multiLabel('topic', numbered(1000)), text('note', false)] })
    await expect.poll(() => question('topic').getByTestId('option').count()).toBeLessThan(200)
    await press('Tab', '9', '9', '9')
    await page.getByTestId('option-search').fill('label 999')
    await expect.poll(() => isOn('topic', 'label 999')).toBe('true')
  })
})

describe('ranking', () => {
  const rows = (values: unknown) => (values as { value: string; rank: number }[]).map(({ value, rank }) => `${rank} ${value}`)

  test('by drag and by menu, ties too', async () => {
    const id = await begin('drag', { questions: [ranking('replies', ['a', 'b', 'c'])] })
    const slot = (at: number) => question('replies').locator('.hole').nth(at)
    const drag = async (item: Locator, target: Locator) => {
      await item.hover()
      await page.mouse.down()
      const box = await target.boundingBox()
      await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 10, { steps: 6 })
      await page.mouse.up()
    }
    await drag(option('replies', 'b'), slot(0))
    await drag(option('replies', 'c'), slot(0))
    await question('replies').getByRole('button', { name: 'Rank of a', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Rank 2' }).click()
    expect(rows((await submitAndRead(id)).replies).toSorted()).toEqual(['1 b', '1 c', '2 a'])
  })

  test('a suggestion without ranks is read in its order', async () => {
    const value = ['c', 'a', 'b'].map(one => ({ value: one, rank: null }))
    const id = await beginSuggested(
      'null-ranks',
      { questions: [ranking('replies', ['a', 'b', 'c'])] },
      { value: value as never, score: [0.9, 0.5, 0.1] },
    )
    await expect.poll(() => question('replies').innerText()).toContain('0.9')
    expect(rows((await submitAndRead(id)).replies)).toEqual(['1 c', '2 a', '3 b'])
  })
})

describe('text', () => {
  test('mine, the suggestion and the changes between them; back to the suggestion', async () => {
    await beginSuggested('changes', { questions: [text('summary')] }, { value: 'A lamp is late.', score: 0.5 })
    const tabs = () => question('summary').getByRole('tab').allInnerTexts()
    await expect.poll(tabs).toEqual([])
    await press('Tab', 'Shift+Enter', 'End')
    await page.keyboard.type(' Again.')
    await press('Escape')
    await expect.poll(tabs).toEqual(['My answer', 'Suggestion', 'Changes'])
    await question('summary').getByRole('tab', { name: 'Changes' }).click()
    await expect.poll(() => question('summary').locator('ins').innerText()).toContain('Again.')
    await question('summary').getByRole('button', { name: 'Reset to suggestion' }).click()
    await expect.poll(tabs).toEqual([])
    await expect.poll(() => page.getByTestId('text-input').inputValue()).toBe('A lamp is late.')
  })

  test('a limit is set by a lead, told in words beyond it, and stands in nobody’s way', async () => {
    const id = await seed(world, { name: 'limit', questions: [text('summary')], records: texts(2) })
    await page.goto(`dataset/${id}/settings?tab=questions`)
    const block = page.getByTestId('block-question-summary')
    await block.getByTestId('limit-characters').fill('0')
    await expect.poll(() => block.innerText()).toContain('Enter a whole number')
    await block.getByTestId('limit-characters').fill('10')
    await block.getByTestId('limit-words').fill('2')
    await block.getByTestId('update').click()
    await expect.poll(() => block.innerText()).toContain('Saved')
    await openDataset(page, id)
    const limit = page.getByTestId('limit')
    await press('Tab', 'Shift+Enter')
    await page.keyboard.type('one two')
    await expect.poll(() => limit.innerText()).toBe('7 of 10 characters, 2 of 2 words')
    await page.keyboard.type(' three')
    await expect.poll(() => limit.innerText()).toContain('3 characters too many and 1 word too many. You can still submit.')
    await expect.poll(() => limit.getAttribute('class')).toContain('problem')
    await press('Escape')
    expect(await submitAndRead(id)).toEqual({ summary: 'one two three' })
  })

  test('characters and words are counted, also while somebody types', async () => {
    await begin('counted', { questions: [text('summary')] })
    await press('Tab', 'Shift+Enter')
    await page.keyboard.type('two 🚀')
    await expect.poll(() => question('summary').getByText('5 characters, 2 words').isVisible()).toBe(true)
  })
})

test('an answer that equals the suggestion keeps its sparkle and score after it is sent', async () => {
  const id = await beginSuggested(
    'sparkle',
    { questions: [label('mood', ['good', 'bad']), text('note', false)] },
    { value: 'bad', score: 0.456 },
  )
  await submitAndRead(id)
  await expectSaved(page)
  await press('ArrowLeft')
  await expectRecordText(page, 'Record number 0')
  await expect.poll(() => option('mood', 'bad').innerText()).toMatch(/0\.5/)
  await expect.poll(() => option('mood', 'bad').getAttribute('class')).toMatch(/\bon\b/)
  await expect.poll(() => option('mood', 'bad').getAttribute('title')).toMatch(/0\.46.*model-7/)
})
