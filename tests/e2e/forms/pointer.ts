/** Does the steps of pointer-model.ts in the page, by mouse or by finger. */
import type { Locator, Page } from 'playwright-core'
import { currentRecord } from '../annotation-page.ts'
import { wordsOf } from './plans.ts'

interface Point {
  x: number
  y: number
}

export type Pointing = 'mouse' | 'finger'

export function openPointer(page: Page, by: Pointing) {
  const question = (name: string) => page.getByTestId(`question-${name}`)
  const option = (name: string, value: string) => question(name).locator(`[data-testid=option][data-value="${value}"]`)
  // Also a button that says that it is disabled can be pressed.
  const press = async (target: Locator) => (by === 'mouse' ? target.click({ force: true }) : target.tap({ force: true }))
  const text = () => currentRecord(page).locator('.span-text')

  /** On a phone, one question is shown at a time. */
  async function show(name: string) {
    if (by === 'mouse') return await question(name).hover()
    const names = await page.locator('section.question').evaluateAll(all => all.map(one => one.getAttribute('data-question')))
    if (names.length > 1) await page.locator('nav.steps .row button').nth(names.indexOf(name)).tap()
  }

  async function rank(name: string, item: string, slot: string) {
    const at =
      slot === 'none'
        ? question(name).locator('.hole').last()
        : question(name)
            .locator('.hole')
            .nth(Number(slot) - 1)
    if (by === 'mouse') return await drag(option(name, item), at)
    await question(name)
      .getByRole('button', { name: `Rank of ${item}`, exact: true })
      .tap()
    await page.getByRole('menuitem', { name: slot === 'none' ? 'Remove' : `Rank ${slot}` }).tap()
  }
  async function drag(item: Locator, target: Locator) {
    await item.hover()
    await page.mouse.down()
    const box = await target.boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 6, (box?.y ?? 0) + (box?.height ?? 0) / 2, { steps: 3 })
    await page.mouse.up()
  }

  /** Places of the words on the screen. */
  const place = (range: readonly [number, number]) =>
    text().evaluate((element, [start, end]) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const ends: { node: Node; offset: number }[] = []
      let before = 0
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement?.closest('[data-ours], .visually-hidden, .field-tools')) continue
        const length = node.textContent?.length ?? 0
        for (const at of [start, end]) if (at >= before && at < before + length) ends.push({ node, offset: at - before })
        before += length
      }
      return ends.map(({ node, offset }) => {
        const range = document.createRange()
        range.setStart(node, offset)
        range.setEnd(node, offset + 1)
        const { x, y, width, height } = range.getBoundingClientRect()
        return { x: x + width / 2, y: y + height / 2 }
      })
    }, range)
  async function select([from, to]: readonly [number, number], at: number, isArmed: boolean) {
    const words = wordsOf(at)
    const start = (word: number) => words.slice(0, word).reduce((sum, one) => sum + one.length + 1, 0)
    const [first, last] = await place([start(from), start(to) + (words[to]?.length ?? 1) - 1])
    if (!first || !last) throw new Error('No such words on the screen')
    if (by === 'finger') return await selectByFinger(first, last, isArmed)
    await page.mouse.move(first.x, first.y)
    await page.mouse.down()
    await page.mouse.move(last.x, last.y, { steps: 3 })
    await page.mouse.up()
  }

  /** The handles of a selection are the browser's own, so it is set. With a label in hand, a button below it marks. */
  async function selectByFinger(first: Point, last: Point, isArmed: boolean) {
    await page.touchscreen.tap(first.x, first.y)
    await text().evaluate(
      (_, [start, end]) => {
        const places = [start, end].map(({ x, y }) => document.caretPositionFromPoint(x, y))
        const [one, other] = places
        if (one && other) getSelection()?.setBaseAndExtent(one.offsetNode, one.offset, other.offsetNode, other.offset)
      },
      [first, last] as const,
    )
    const button = currentRecord(page).locator('.apply .ink')
    await (isArmed ? button.tap() : button.waitFor())
  }

  async function type(name: string, words: string) {
    await press(question(name).locator('textarea'))
    await page.keyboard.press('Control+End')
    await page.keyboard.type(words)
  }

  const BUTTONS: Record<string, string> = { submit: 'submit', draft: 'save-draft', discard: 'discard', next: 'next' }
  return async function act(step: string, at: number): Promise<void> {
    const [what = '', name = '', one = '', other = ''] = step.split(' ')
    const button = BUTTONS[what]
    if (button !== undefined) return await press(page.getByTestId(button))
    if (what === 'select') return await select([Number(name), Number(one)], at, other !== '')
    await show(name)
    const acts: Record<string, () => Promise<unknown>> = {
      option: () => press(option(name, one)),
      label: () => press(option(name, one)),
      nothing: () => press(question(name).getByTestId('nothing-to-mark')),
      clear: () => press(question(name).locator('.actions .icon-button')),
      take: () => press(question(name).locator('.actions .action')),
      rank: () => rank(name, one, other),
      type: () => type(name, one),
    }
    await acts[what]?.()
  }
}
