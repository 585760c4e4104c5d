import { processorMs } from '@postil/domain/testing/processor-time'
import { expect, test } from 'vitest'
import { isWithinLimits } from './markup-limits.ts'

test.each([
  { what: 'prose', html: '<p>Some <b>words</b> and <a href="x">a link</a></p>\n'.repeat(1_000), isWithin: true },
  { what: 'a large table', html: `<table>${`<tr>${'<td>1</td>'.repeat(20)}</tr>`.repeat(120)}</table>`, isWithin: true },
  { what: 'paragraphs without an end', html: '<p>a'.repeat(2_000), isWithin: true },
  { what: 'too many elements', html: '<i></i>'.repeat(7_000), isWithin: false },
  { what: 'a table of 400 columns', html: `<table>${`<tr>${'<td>1'.repeat(400)}`.repeat(100)}</table>`, isWithin: false },
  { what: 'deep nesting', html: '<div>'.repeat(300), isWithin: false },
  // The HTML parser repeats 150 unclosed elements in each of 1,000 paragraphs.
  { what: 'formatting without an end', html: `${'<b>'.repeat(150)}${'<p>a</p>'.repeat(1_000)}`, isWithin: false },
  { what: 'a long word', html: `<p>${'['.repeat(2_001)}</p>`, isWithin: false },
  { what: 'a long word of many elements', html: `<p>${'[[[[<i></i>'.repeat(600)}</p>`, isWithin: false },
  { what: 'long words in many cells', html: `<tr>${`<td>${'a'.repeat(1_900)}</td>`.repeat(20)}</tr>`, isWithin: true },
  { what: 'a long address', html: `<p><img src="data:image/png;base64,${'A'.repeat(100_000)}"></p>`, isWithin: true },
  { what: 'a long text', html: 'a'.repeat(1_000_001), isWithin: false },
])('$what: within the limits $isWithin', ({ html, isWithin }) => {
  expect(isWithinLimits(html)).toBe(isWithin)
})

test('takes time that grows with the length only', async () => {
  const units = ['<', '<a', '</', '<b>', '</b>', '<a ', 'a ', '[<i>']
  const checkAll = () => units.map(unit => isWithinLimits(unit.repeat(500_000 / unit.length)))
  expect(await processorMs(checkAll)).toBeLessThan(2_000)
})
