import { describe, expect, test } from 'vitest'
import { isReadableMarkdown } from './markdown-limits.ts'
import { openParser } from './markdown-parse.ts'

const parse = openParser({ highlight: null, formula: null })
const prose = 'Some *words* in a paragraph with a [link](https://example.org/a_b), `code` and **more**; nothing special at all.\n'

describe('markdown that people write is parsed', () => {
  test.each([
    { why: 'long prose', text: `${prose.repeat(8)}\n`.repeat(100) },
    { why: 'a long table', text: `| a | b |\n|---|---|\n${'| *a* | `b` |\n'.repeat(3000)}` },
    { why: 'a long list', text: '- item with *stars* and `code`\n'.repeat(3000) },
    { why: 'much code', text: `\`\`\`json\n${'{"a": [1, 2, {"b": "*_*"}]},\n'.repeat(3000)}\n\`\`\`\n` },
    { why: 'nested lists', text: '- a\n  - b\n    - c\n      - d\n' },
    { why: 'nothing', text: '' },
  ])('$why', ({ text }) => {
    expect(isReadableMarkdown(text)).toBe(true)
  })
})

const UNITS =
  '*a|_a|**a|***|**_*a |*a _b |![|!|[a](|[a][b|[[](|`|``a`|<a |<b>|</|<!-- a|$a|$$|$a$ |a@|a@a.|http://|\\|&|~~a|1. |> |- |- - |"|(|_'.split('|')

describe('a text made to keep the parser busy is soon dealt with', () => {
  test.each([...UNITS, '| a ', '|a|b|\n', '- a\n', '[a]: b\n', '# a\n', '>a\n\n', 'a\n  '])('%j, ten thousand times', unit => {
    const text = unit.repeat(10_000)
    const start = performance.now()
    if (isReadableMarkdown(text)) parse(text)
    expect(performance.now() - start).toBeLessThan(6_000)
  })
})
