import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { openParser } from './markdown-parse.ts'

const PARTS: Parameters<typeof openParser>[0] = {
  highlight: (code, language) => (language === 'python' ? `<span class="hljs-keyword">${code}</span>` : null),
  formula: (source, isBlock) => `<math${isBlock ? ' display="block"' : ''}>${source}</math>`,
}
/** Limit in elapsed time, high enough that ordinary texts never reach it on a busy machine. */
const PATIENT_MS = 60_000
const parse = openParser(PARTS, PATIENT_MS)

describe('markdown', () => {
  test.each([
    { why: 'a line break is kept', text: 'a\nb', html: '<p>a<br>b</p>' },
    { why: 'a formula in a line', text: 'so $x^2$, then', html: '<p>so <math>x^2</math>, then</p>' },
    { why: 'two prices are no formula', text: 'from $5 to $6', html: '<p>from $5 to $6</p>' },
    { why: 'a sign before a blank is no formula', text: 'US$ 5 and US$ 6', html: '<p>US$ 5 and US$ 6</p>' },
    { why: 'a formula of its own', text: 'a\n\n$$\nx\n$$\n\nb', html: '<p>a</p>\n<math display="block">x</math><p>b</p>' },
    { why: 'a formula after a line', text: 'a\n$$x$$', html: '<p>a</p>\n<math display="block">x</math>' },
    { why: 'signs in code', text: '`$x$`', html: '<p><code>$x$</code></p>' },
    {
      why: 'code of a known language',
      text: '```python\nx\n```',
      html: '<pre><code class="hljs"><span class="hljs-keyword">x</span></code></pre>',
    },
    { why: 'code of another', text: '```x" y\n<b>\n```', html: '<pre><code class="hljs">&lt;b&gt;</code></pre>' },
    { why: 'a task', text: '- [x] done', html: '<ul>\n<li class="task">☑ done</li>\n</ul>' },
  ])('$why', ({ text, html }) => {
    expect(parse(text).trim()).toBe(html)
  })

  test('without its parts, the source is shown', () => {
    expect(openParser({ highlight: null, formula: null }, PATIENT_MS)('$a<b$').trim()).toBe('<p><code>$a&lt;b$</code></p>')
  })

  test('prose of any length is parsed', () => {
    const paragraph = 'Some *words* with a [link](https://example.org/a_b), `code`, $5 and **more**; nothing special.\n'.repeat(8)
    expect(parse(`${paragraph}\n`.repeat(60)).match(/<p>/g)).toHaveLength(60)
  })
})

/** Repeated many times, most of these keep parsers busy for seconds or minutes. */
const UNITS =
  '*a|_a|**a|***|**_*a |*a _b |![|!|[a](|[a][b|[[](|`|``a`|<a |<b>|</|<!-- a|$a|$$|$a$ |a@|http://|&|~~a|1. |> |- |**~~\n> |(|_'

describe('a text made to keep the parser busy is soon given up', () => {
  test.each([...UNITS.split('|'), '| a ', '|a|b|\n', '**~~\n|', '- a\n', '[a]: b\n', '>a\n\n', 'a\n  ', '<\n\n$](1. '])(
    '%j',
    async unit => {
      const parseInTime = openParser(PARTS, 200)
      const text = unit.repeat(50_000 / unit.length)
      const parseOrGiveUp = () => {
        try {
          parseInTime(text)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }
      expect(await processorMs(parseOrGiveUp)).toBeLessThan(1_500)
    },
  )
})
