import { createHash } from 'node:crypto'
import { toOpenApi } from '@postil/domain/api/openapi'
import { type Route, route } from '@postil/domain/api/route'
import { Id, Int, List, Nullable, OneOf, Optional, Shape, Tagged, Text, Words } from '@postil/domain/schema'
import { expect, test } from 'vitest'
import { docsPage } from './docs-page.ts'

const created = route({
  id: 'createThing',
  method: 'POST',
  path: '/api/v1/things/:thing_id',
  tag: 'things <b>',
  summary: '<script>alert("1")</script> & more',
  status: 201,
  runs: 'writer',
  params: Shape({ thing_id: Id }),
  query: Shape({ limit: Int({ minimum: 1, maximum: 1000, default: 50 }) }),
  body: Shape({
    name: Text(1, 200),
    role: Optional(OneOf(['a', 'b'])),
    settings: Tagged('type', { text: Shape({ type: Words(['text']) }) }),
    tags: Nullable(List(Text(), { maxItems: 3 })),
  }),
  response: Shape({ id: Id }),
})
const { html, csp } = docsPage(toOpenApi([created as Route], { title: 'Postil', version: '1' }))

test('the page shows method, path, parameters, body and answers', () => {
  expect(html).toContain('<b>POST</b> <code>/api/v1/things/{thing_id}</code>')
  expect(html).toContain('integer (1 to 1000; 50 when left out)')
  expect(html).toContain('name: text (1 to 200 characters)')
  expect(html).toContain('role?: &quot;a&quot; | &quot;b&quot;')
  expect(html).toContain('type: &quot;text&quot;')
  expect(html).toContain('tags: list of text (at most 3 items) | null')
  expect(html).toContain('<summary>422 ')
})

test('everything is escaped and nothing is fetched or run', () => {
  expect(html).not.toMatch(/<script|<link|<img|https?:\/\/|\sstyle=|\son\w+=/)
  expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more')
  expect(html).toContain('things &lt;b&gt;')
})

test('the policy allows exactly the style of the page', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''
  expect(csp).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
})
