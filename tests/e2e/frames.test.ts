/** Checks when the annotation page forces a layout. */
import { expect, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { rating, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

declare global {
  interface Window {
    scrolls: { early: number; inFrames: number }
  }
}

takeDesk({ as: 'annotator' })

/**
 * Runs in the page. Scrolling to an element forces a layout: inside an animation frame it is due anyway, before that it is extra
 * work.
 */
function countScrolls(): void {
  window.scrolls = { early: 0, inFrames: 0 }
  let isInFrame = false
  const request = window.requestAnimationFrame.bind(window)
  window.requestAnimationFrame = callback =>
    request(time => {
      isInFrame = true
      callback(time)
      isInFrame = false
    })
  const scroll = Element.prototype.scrollIntoView
  Element.prototype.scrollIntoView = function (options) {
    window.scrolls[isInFrame ? 'inFrames' : 'early']++
    scroll.call(this, options)
  }
}

test('a key that answers scrolls to the next question in the frame that shows it, not before', async () => {
  const dataset = await seed(world, {
    name: 'frames',
    questions: [label('mood', ['good', 'bad', 'mixed']), rating('quality', [1, 2, 3]), text('note', false)],
    records: texts(4, i => `Record number ${i}.`),
  })
  await page.addInitScript(countScrolls)
  await openDataset(page, dataset)
  await press('1')
  await expect.poll(() => page.locator('section.question.now').getAttribute('data-testid')).toBe('question-quality')
  await expect.poll(() => page.evaluate(() => window.scrolls.inFrames)).toBeGreaterThan(0)
  expect(await page.evaluate(() => window.scrolls.early)).toBe(0)
})
