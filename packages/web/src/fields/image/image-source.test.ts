import { expect, test } from 'vitest'
import { toImageSource } from './image-source.ts'

test.each([
  { value: 'https://example.org/a/b.JPG?x=1', kind: 'JPEG', host: 'example.org' },
  { value: 'http://example.org:8080/picture', kind: '', host: 'example.org:8080' },
  { value: 'data:image/png;base64,AAAA', kind: 'PNG', host: null },
  { value: ' data:image/svg+xml,<svg/>', kind: 'SVG', host: null },
])('$value is shown', ({ value, kind, host }) => {
  expect(toImageSource(value)).toMatchObject({ kind, host })
})

test.each([
  '',
  'picture.png',
  '/api/v1/me',
  '//example.org/a.png',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)//data:image/png;base64,',
  'data:text/html,<script>1</script>',
  'data:image',
  'blob:https://example.org/1',
  'file:///etc/passwd',
  'https://',
  null,
  3,
  { url: 'https://example.org' },
])('%j is refused', value => {
  expect(toImageSource(value)).toBeNull()
})
