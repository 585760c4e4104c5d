/** Tests which URLs of a template are replaced with the server's copies. */
import { expect, test } from 'vitest'
import { withCopies } from '../../../frame/libraries.ts'

const AT = 'http://postil.example/base/libraries/0123456789abcdef/'
const copies = {
  at: AT,
  hashes: {
    'cdn.example/npm/chart.js@4/chart.js': 'sha384-CHART',
    'cdn.example/style.css': 'sha384-STYLE',
    'cdn.example/mod.mjs': 'sha384-MOD',
  },
}
const CHART = `${AT}cdn.example/npm/chart.js%404/chart.js`

test.each([
  {
    what: 'a script',
    template: '<script src="https://cdn.example/npm/chart.js@4/chart.js"></script>',
    expected: `<script integrity="sha384-CHART" crossorigin="anonymous" src="${CHART}"></script>`,
  },
  {
    what: 'without a scheme, in single quotes, with a query',
    template: "<script defer src='//cdn.example/npm/chart.js%404/chart.js?v=1'></script>",
    expected: `<script integrity="sha384-CHART" crossorigin="anonymous" defer src='${CHART}'></script>`,
  },
  {
    what: 'without quotes',
    template: '<script src=https://cdn.example/npm/chart.js@4/chart.js></script>',
    expected: `<script integrity="sha384-CHART" crossorigin="anonymous" src=${CHART}></script>`,
  },
  {
    what: 'with a hash of the author’s',
    template: '<script src="https://cdn.example/npm/chart.js@4/chart.js" integrity="sha256-X" crossorigin></script>',
    expected: `<script src="${CHART}" integrity="sha256-X" crossorigin></script>`,
  },
  {
    what: 'a style',
    template: '<link rel="stylesheet" href="https://cdn.example/style.css">',
    expected: `<link integrity="sha384-STYLE" crossorigin="anonymous" rel="stylesheet" href="${AT}cdn.example/style.css">`,
  },
  {
    what: 'an import of a module',
    template: '<script type="module">import { f } from "https://cdn.example/mod.mjs"; f()</script>',
    expected: `<script type="module">import { f } from "${AT}cdn.example/mod.mjs"; f()</script>`,
  },
  {
    what: 'a picture, a link and text stay',
    template: '<img src="https://cdn.example/a.png"><a href="https://cdn.example/">https://elsewhere.example</a>',
    expected: '<img src="https://cdn.example/a.png"><a href="https://cdn.example/">https://elsewhere.example</a>',
  },
  {
    what: 'a picture written as data stays',
    template: `<img src="data:image/png;base64,AA//${'B//'.repeat(2000)}=">`,
    expected: `<img src="data:image/png;base64,AA//${'B//'.repeat(2000)}=">`,
  },
  {
    what: 'names that every object has are none of them',
    template: '<b>https://constructor //__proto__</b>',
    expected: '<b>https://constructor //__proto__</b>',
  },
])('$what', ({ template, expected }) => {
  expect(withCopies(template, copies)).toEqual({ template: expected, missing: [] })
})

test.each([copies, null])('what there is no copy of is named, and not asked for', kept => {
  const rest = '<script>run()</script><link rel=icon href="https://cdn.example/i.png">'
  expect(withCopies(`<script src="https://cdn.example/other.js"></script>${rest}`, kept)).toEqual({
    template: `<script src=""></script>${rest}`,
    missing: ['https://cdn.example/other.js'],
  })
})
