/** Actions and reads on a page by CSS selector, in any browser with a driver. */
import { setTimeout as sleep } from 'node:timers/promises'
import { COMMAND_MS, type Driver } from './driver.ts'

export interface Point {
  x: number
  y: number
}

export interface Page {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** Runs a function in the page, or in the current frame. It must not use variables of its surroundings. */
  evaluate<T, A extends unknown[]>(run: (...args: A) => T | Promise<T>, ...args: A): Promise<T>
  /** Chords such as `Control+z`; key names as in KeyboardEvent. */
  press(...keys: string[]): Promise<void>
  /** Replaces the text of an input or text area. Types it again if the browser has lost a key. */
  fill(selector: string, text: string): Promise<void>
  click(selector: string, at?: number): Promise<void>
  /** Drags with the left button in small steps. */
  drag(from: Point, to: Point): Promise<void>
  /** Waits until an element (by default the first) can be clicked, and returns its centre. */
  middleOf(selector: string, at?: number): Promise<Point>
  /** Text of the first element; empty if there is none. */
  textOf(selector: string): Promise<string>
  attributeOf(selector: string, name: string): Promise<string | null>
  count(selector: string): Promise<number>
  /**
   * Runs an action inside a frame. Its document must be loaded and must not navigate, because WebKit never replies to a command
   * sent to a document that is loading.
   */
  inFrame<T>(selector: string, act: () => Promise<T>): Promise<T>
  /** Errors, unhandled rejections and policy violations that the page has reported since it was loaded. */
  listTroubles(): Promise<string[]>
  /** PNG screenshot. */
  takePicture(): Promise<Buffer>
}

/** WebDriver code points for keys that do not type text. */
const KEYS: Record<string, string> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Alt: '\uE00A',
  Escape: '\uE00C',
  Space: ' ',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Delete: '\uE017',
}
const toKey = (name: string) => KEYS[name] ?? name
const DRAG_STEPS = 8
/** How long a key is held, and the time before the next one. Without it, WebKitGTK on a busy machine drops repeated keys. */
const KEY_MS = 20
const FILLS_MAX = 5

declare global {
  interface Window {
    troubles?: string[]
  }
}

export async function openPage(driver: Driver): Promise<Page> {
  await driver.send('SetTimeouts', { script: COMMAND_MS, pageLoad: COMMAND_MS, implicit: 0 })
  await driver.send('SetWindowRect', { x: 0, y: 0, width: 1440, height: 1000 })
  const evaluate: Page['evaluate'] = async (run, ...args) =>
    (await driver.send('ExecuteScript', { script: `return (${run}).apply(null, arguments)`, args })) as never
  const goto = async (url: string) => {
    await driver.send('Navigate', { url })
    await evaluate(watchTroubles)
  }
  const { press, type } = openKeyboard(driver)
  const mouse = openMouse(driver)
  const middleOf = (selector: string, at = 0) => waitForMiddle(() => evaluate(findMiddle, selector, at), selector)
  const click = async (selector: string, at?: number) => mouse.click(await middleOf(selector, at))
  return {
    goto,
    // Navigates instead of using Firefox's reload command, which bypasses service workers like a reload with Shift.
    reload: async () => goto(await evaluate(() => location.href)),
    evaluate,
    press: async (...chords) => {
      for (const chord of chords) await press(chord)
    },
    fill: async (selector, text) => {
      for (let tries = 0; tries < FILLS_MAX; tries++) {
        await click(selector)
        await press('Control+a')
        await type(text)
        if ((await evaluate(readValue, selector)) === text) return
      }
      throw new Error(`${selector} does not take ${text}`)
    },
    click,
    drag: mouse.drag,
    middleOf,
    textOf: selector => evaluate(readText, selector),
    attributeOf: (selector, name) => evaluate(readAttribute, selector, name),
    count: selector => evaluate(countElements, selector),
    inFrame: async (selector, run) => {
      await driver.send('SwitchToFrame', { id: await driver.send('ExecuteScript', { script: FIND, args: [selector] }) })
      try {
        return await run()
      } finally {
        await driver.send('SwitchToFrame', { id: null })
      }
    },
    listTroubles: () => evaluate(() => window.troubles ?? []),
    takePicture: async () => Buffer.from(String(await driver.send('TakeScreenshot')), 'base64'),
  }
}

function openKeyboard(driver: Driver) {
  const pause = { type: 'pause', duration: KEY_MS }
  const press = async (chord: string) => {
    // Splits at `+`, but keeps the plus key itself: the last part of `Control++`, and all of `+`.
    const names = chord.split(/(?<=.)\+/)
    const [down, up] = (['keyDown', 'keyUp'] as const).map(type => names.map(name => ({ type, value: toKey(name) })))
    const actions = [...(down ?? []), pause, ...(up ?? []).toReversed(), pause]
    await driver.send('PerformActions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }
  const type = async (text: string) => {
    for (const letter of text) await press(letter)
  }
  return { press, type }
}

function openMouse(driver: Driver) {
  const point = async (...actions: Record<string, unknown>[]) => {
    const parameters = { pointerType: 'mouse' }
    await driver.send('PerformActions', { actions: [{ type: 'pointer', id: 'mouse', parameters, actions }] })
  }
  return {
    click: ({ x, y }: Point) =>
      point({ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }),
    drag: (from: Point, to: Point) => {
      const steps = Array.from({ length: DRAG_STEPS }, (_, i) => ({
        type: 'pointerMove',
        duration: 20,
        x: Math.round(from.x + ((to.x - from.x) * (i + 1)) / DRAG_STEPS),
        y: Math.round(from.y + ((to.y - from.y) * (i + 1)) / DRAG_STEPS),
      }))
      const start = { type: 'pointerMove', x: Math.round(from.x), y: Math.round(from.y) }
      return point(start, { type: 'pointerDown', button: 0 }, ...steps, { type: 'pointerUp', button: 0 })
    },
  }
}

/** Waits until the position is the same twice, so that moving elements are not clicked. */
async function waitForMiddle(find: () => Promise<Point | null>, selector: string): Promise<Point> {
  let last: Point | null = null
  let found: Point | null = null
  const isStill = async () => {
    last = found
    found = await find()
    return found !== null && found.x === last?.x && found.y === last.y
  }
  await until(isStill, `${selector} can be clicked`)
  return found ?? { x: 0, y: 0 }
}

/** Also works before the first test, where `expect.poll` is not available. */
export async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + COMMAND_MS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`Not within ${COMMAND_MS / 1000} seconds: ${what}`)
    await sleep(50)
  }
}

const FIND = 'return document.querySelector(arguments[0])'

// The functions below run in the page.

function findMiddle(selector: string, at: number): { x: number; y: number } | null {
  const element = document.querySelectorAll<HTMLElement>(selector)[at]
  if (!element || element.matches(':disabled')) return null
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
  const hit = width > 0 && height > 0 ? document.elementFromPoint(x, y) : null
  return hit && (element.contains(hit) || hit.contains(element)) ? { x, y } : null
}

function readText(selector: string): string {
  return document.querySelector<HTMLElement>(selector)?.innerText ?? ''
}

function readValue(selector: string): string | undefined {
  return document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector)?.value
}

function readAttribute(selector: string, name: string): string | null {
  return document.querySelector(selector)?.getAttribute(name) ?? null
}

function countElements(selector: string): number {
  return document.querySelectorAll(selector).length
}

function watchTroubles(): void {
  if (window.troubles) return
  const troubles: string[] = []
  window.troubles = troubles
  // Harmless: a size that changes during a resize notification is reported in the next frame, but browsers fire an error event.
  const isDelay = (message: string) => message.startsWith('ResizeObserver loop')
  addEventListener('error', ({ message }) => isDelay(message) || troubles.push(`error: ${message}`))
  addEventListener('unhandledrejection', event => troubles.push(`rejection: ${event.reason}`))
  addEventListener('securitypolicyviolation', event => troubles.push(`policy: ${event.violatedDirective} ${event.blockedURI}`))
}
