/** Does the steps of pointer-model.ts in the page, by mouse or by finger. */
import type { Locator, Page } from 'playwright-core'
import { currentRecord } from '../annotation-page.ts'
import { wordsOf } from './plans.ts'

interface Point {
  x: number
  y: number
}

export type Pointing = 'mouse' | 'finger'

const BUTTONS: Record<string, string> = { submit: 'submit', draft: 'save-draft', discard: 'discard', next: 'next' }

export class Pointer {
  private readonly page: Page
  private readonly by: Pointing

  constructor(page: Page, by: Pointing) {
    this.page = page
    this.by = by
  }

  /** `at`: number of the record on screen. */
  async act(step: string, at: number): Promise<void> {
    const [what = '', name = '', one = '', other = ''] = step.split(' ')
    const button = BUTTONS[what]
    if (button !== undefined) return await this.press(this.page.getByTestId(button))
    if (what === 'select') return await this.select([Number(name), Number(one)], at, other !== '')
    await this.show(name)
    const inside = (selector: string) => this.question(name).locator(selector)
    const acts: Record<string, () => Promise<unknown>> = {
      option: () => this.press(this.option(name, one)),
      label: () => this.press(this.option(name, one)),
      nothing: () => this.press(this.question(name).getByTestId('nothing-to-mark')),
      clear: () => this.press(inside('.actions .icon-button')),
      take: () => this.press(inside('.actions .action')),
      rank: () => this.rank(name, one, other),
      type: () => this.type(name, one),
    }
    await acts[what]?.()
  }

  private question = (name: string) => this.page.getByTestId(`question-${name}`)
  private option = (name: string, value: string) => this.question(name).locator(`[data-testid=option][data-value="${value}"]`)
  private text = () => currentRecord(this.page).locator('.span-text')
  /** Also a button that says that it is disabled can be pressed. */
  private press = async (target: Locator) => (this.by === 'mouse' ? target.click({ force: true }) : target.tap({ force: true }))

  /** On a phone, one question is shown at a time. */
  private async show(name: string) {
    if (this.by === 'mouse') return await this.question(name).hover()
    const names = await this.page
      .locator('section.question')
      .evaluateAll(all => all.map(one => one.getAttribute('data-question')))
    if (names.length > 1) await this.page.locator('nav.steps .row button').nth(names.indexOf(name)).tap()
  }

  private async type(name: string, words: string) {
    await this.press(this.question(name).locator('textarea'))
    await this.page.keyboard.press('Control+End')
    await this.page.keyboard.type(words)
  }

  private async rank(name: string, item: string, slot: string) {
    const isNone = slot === 'none'
    if (this.by === 'mouse') {
      const holes = this.question(name).locator('.hole')
      return await this.drag(this.option(name, item), isNone ? holes.last() : holes.nth(Number(slot) - 1))
    }
    await this.question(name)
      .getByRole('button', { name: `Rank of ${item}`, exact: true })
      .tap()
    await this.page.getByRole('menuitem', { name: isNone ? 'Remove' : `Rank ${slot}` }).tap()
  }
  private async drag(item: Locator, target: Locator) {
    await item.hover()
    await this.page.mouse.down()
    const box = await target.boundingBox()
    await this.page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 6, (box?.y ?? 0) + (box?.height ?? 0) / 2, { steps: 3 })
    await this.page.mouse.up()
  }

  private async select([from, to]: readonly [number, number], at: number, isArmed: boolean) {
    const words = wordsOf(at)
    const start = (word: number) => words.slice(0, word).reduce((sum, one) => sum + one.length + 1, 0)
    const [first, last] = await this.place([start(from), start(to) + (words[to]?.length ?? 1) - 1])
    if (!first || !last) throw new Error('No such words on the screen')
    if (this.by === 'finger') return await this.selectByFinger(first, last, isArmed)
    await this.page.mouse.move(first.x, first.y)
    await this.page.mouse.down()
    await this.page.mouse.move(last.x, last.y, { steps: 3 })
    await this.page.mouse.up()
  }

  /** Places of the words on the screen. */
  private place = (range: readonly [number, number]) =>
    this.text().evaluate((element, [start, end]) => {
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

  /** The handles of a selection are the browser's own, so it is set. With a label in hand, a button below it marks. */
  private async selectByFinger(first: Point, last: Point, isArmed: boolean) {
    await this.page.touchscreen.tap(first.x, first.y)
    await this.text().evaluate(
      (_, [start, end]) => {
        const places = [start, end].map(({ x, y }) => document.caretPositionFromPoint(x, y))
        const [one, other] = places
        if (one && other) getSelection()?.setBaseAndExtent(one.offsetNode, one.offset, other.offsetNode, other.offset)
      },
      [first, last] as const,
    )
    const button = currentRecord(this.page).locator('.apply .ink')
    await (isArmed ? button.tap() : button.waitFor())
  }
}
