import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { lazy, loadAhead } from './lazy.ts'

const Greeting = defineComponent({
  props: { name: { type: String, required: true }, isLoud: Boolean },
  setup:
    (props, { slots }) =>
    () =>
      h('p', [`Hello ${props.name}${props.isLoud ? '!' : ''}`, slots.default?.()]),
})

afterEach(() => void vi.restoreAllMocks())

/** Renders the component once, as it first appears. */
const draw = (component: typeof Greeting) =>
  renderToString(
    createSSRApp(() => h(component, { name: 'Lena', 'is-loud': '', class: 'big' } as never, { default: () => h('b', 'slot') })),
  )

test('a component that was loaded ahead is drawn at once, with its props, attributes and slots', async () => {
  const load = vi.fn(async () => ({ default: Greeting }))
  const Lazy = lazy(load)
  expect(await draw(Lazy)).toBe('<!---->')
  await loadAhead([Lazy])
  expect(await draw(Lazy)).toBe('<p class="big">Hello Lena!<!--[--><b>slot</b><!--]--></p>')
  expect(load).toHaveBeenCalledTimes(1)
})

test('those that are not lazy need no loading', async () => {
  await expect(loadAhead([Greeting])).resolves.toEqual([undefined])
})

test('one that could not be fetched is asked for again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let isOnline = false
  const Lazy = lazy(async () => {
    if (!isOnline) throw new TypeError('Failed to fetch')
    return { default: Greeting }
  })
  await loadAhead([Lazy])
  expect(await draw(Lazy)).not.toContain('Hello')
  isOnline = true
  await loadAhead([Lazy])
  expect(await draw(Lazy)).toContain('Hello Lena!')
})
