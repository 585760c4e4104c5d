/** The most common actions in each browser: signing in, answering by keyboard and mouse, marking text, ranking, bulk answers. */
import { describe, expect, test } from 'vitest'
import { ranking, span, text } from '../e2e/question-plans.ts'
import { label, seed, texts } from '../e2e/seed.ts'
import {
  begin,
  byTestId,
  expectSaved,
  expectText,
  openDataset,
  option,
  page,
  RECORD,
  signIn,
  storedAnswer,
  submitAndRead,
  waitFor,
  world,
} from './desk.ts'

export function testFlows(): void {
  test('sign out; a wrong password is refused, the right one opens the datasets', async () => {
    await page.click(byTestId('account'))
    await page.click(byTestId('sign-out'))
    await waitFor(byTestId('sign-in-username'))
    await signIn('not-the-password')
    await waitFor('[role=alert]')
    expect(await page.count(byTestId('dataset-list'))).toBe(0)
    await signIn()
  })

  testAnswers()
  testSpans()
  testBulk()

  test('an item is dragged to its rank with the mouse', async () => {
    const id = await begin('drag', { questions: [ranking('replies', ['a', 'b', 'c'])] })
    const drag = async (value: string, rank: number) => {
      await page.drag(
        await page.middleOf(option('replies', value)),
        await page.middleOf(`${byTestId('question-replies')} li:nth-child(${rank}) .hole`),
      )
    }
    await drag('c', 1)
    await drag('a', 2)
    await drag('b', 3)
    const ranks = (await submitAndRead(id)).replies as { value: string; rank: number }[]
    expect(ranks.map(({ value, rank }) => `${rank} ${value}`).toSorted()).toEqual(['1 c', '2 a', '3 b'])
  })
}

function testAnswers(): void {
  describe('by keyboard', () => {
    test('a number answers and goes on; back, undo and redo; discard', async () => {
      const id = await begin('keys', { questions: [label('mood', ['good', 'bad', 'mixed'])], records: texts(5) })
      await expectText('Record number 0')
      await page.press('2')
      await expectText('Record number 1')
      await expectSaved()
      expect(await storedAnswer(id)).toEqual(['submitted', { mood: 'bad' }])
      await page.press('ArrowLeft')
      await expectText('Record number 0')
      await page.press('ArrowRight', 'Control+z')
      await expectText('Record number 0')
      await expectSaved()
      expect(await storedAnswer(id)).toBeNull()
      await page.press('Control+Shift+z')
      await expectText('Record number 1')
      await page.press('x')
      await expectText('Record number 2')
      await expectSaved()
      expect([await storedAnswer(id, 0), await storedAnswer(id, 1)]).toEqual([
        ['submitted', { mood: 'bad' }],
        ['discarded', {}],
      ])
    })

    test('a text is written, kept over a reload, and sent from inside', async () => {
      const id = await begin('text', { questions: [label('mood', ['good', 'bad'], false), text('note')] })
      await page.press('1')
      await page.fill(`${byTestId('question-note')} textarea`, 'Grün 1, two')
      await page.reload()
      await expect.poll(() => page.evaluate(readNote)).toBe('Grün 1, two')
      await page.click(`${byTestId('question-note')} textarea`)
      await page.press('Control+Enter')
      await expectText('Record number 1')
      await expectSaved()
      expect(await storedAnswer(id)).toEqual(['submitted', { mood: 'good', note: 'Grün 1, two' }])
    })
  })
}

/** Runs in the page. */
function readNote(): string | undefined {
  return document.querySelector<HTMLTextAreaElement>('[data-testid=question-note] textarea')?.value
}

const SENTENCE = 'Ada met Bob in Paris, then Ada left.'

function testSpans(): void {
  const spanned = (name: string) =>
    begin(name, { questions: [span('names', ['person', 'place'])], records: texts(2, () => SENTENCE) })
  const countMarks = () => page.count(`${RECORD} ${byTestId('span')}`)
  const cut = (value: unknown) =>
    (value as { start: number; end: number; label: string }[])
      .toSorted((a, b) => a.start - b.start)
      .map(one => `${one.label}: ${SENTENCE.slice(one.start, one.end)}`)
  const select = async (from: [string, number], to: [string, number]) =>
    page.drag(await page.evaluate(findLetter, ...from), await page.evaluate(findLetter, ...to))

  describe('spans', () => {
    test('by mouse: label first, then text; text first, then label', async () => {
      const id = await spanned('span-mouse')
      await page.click(option('names', 'person'))
      await select(['Ada', 1], ['Ada', 2])
      await expect.poll(countMarks).toBe(1)
      await page.click(option('names', 'person'))
      await select(['Paris', 1], ['Paris', 3])
      await page.click(option('names', 'place'))
      await expect.poll(countMarks).toBe(2)
      await select(['met', 1], ['Bob', 2])
      await page.press('1')
      await expect.poll(countMarks).toBe(3)
      await page.press('Escape', 'Escape', 'Escape')
      expect(cut((await submitAndRead(id)).names)).toEqual(['person: Ada', 'person: met Bob', 'place: Paris'])
    })

    test('by keyboard: arrows, Shift, numbers, brackets and Delete', async () => {
      const id = await spanned('span-keys')
      await page.press('r', 'ArrowRight', '1')
      await page.press('ArrowRight', 'ArrowRight', '1')
      await page.press('ArrowRight', 'Shift+ArrowRight', '2')
      await expect.poll(countMarks).toBe(3)
      await page.press('[', '[', ']', 'Delete')
      await expect.poll(countMarks).toBe(2)
      await page.press('Escape', 'Escape', 'Escape')
      expect(cut((await submitAndRead(id)).names)).toEqual(['person: Ada', 'place: in Paris'])
    })
  })
}

/** Runs in the page: position of a letter of a word in the text. Marks may split the text, but not words. */
function findLetter(word: string, offset: number): { x: number; y: number } {
  const field = document.querySelector('[data-testid=record]:not([hidden]) [data-testid=field-text]')
  const walker = document.createTreeWalker(field ?? document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement?.closest('[data-ours]') ? -1 : (node.textContent?.indexOf(word) ?? -1)
    if (at < 0) continue
    const range = document.createRange()
    range.setStart(node, at + offset)
    range.setEnd(node, at + offset + 1)
    const { x, y, height } = range.getBoundingClientRect()
    return { x: x + 1, y: y + height / 2 }
  }
  throw new Error(`No ${word} in the text`)
}

function testBulk(): void {
  const countMine = async (datasetId: string) => {
    const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: datasetId } })
    return [responses.pending, responses.submitted]
  }
  const countTicked = () => page.count(`${byTestId('tick')}[aria-checked=true], ${byTestId('tick')}:checked`)

  test('bulk: records are selected by keys and by mouse, and get one answer; undo takes it back', async () => {
    const id = await seed(world, { name: 'bulk', questions: [label('mood', ['good', 'bad'])], records: texts(12) })
    await openDataset(id, '?page=1~10')
    await page.press('j', 'j', 'Space')
    await expect.poll(countTicked).toBe(1)
    await page.press('Shift+ArrowDown')
    await expect.poll(countTicked).toBe(2)
    await page.click(byTestId('tick'), 5)
    await expect.poll(countTicked).toBe(3)
    await page.press('2', 'Enter')
    await expect.poll(() => countMine(id)).toEqual([9, 3])
    await page.click(byTestId('undo'))
    await expect.poll(() => countMine(id)).toEqual([12, 0])
  })
}
