import { expect, test } from 'vitest'
import { MASK, pythonSnippet } from './python-snippet.ts'

test('the Python snippet holds the address of the server and the key', () => {
  expect(pythonSnippet('https://notes.example/annotations', 'k"1\\')).toBe(
    [
      '# pip install argilla requests',
      'import argilla as rg',
      '',
      'client = rg.Argilla(',
      '  api_url="https://notes.example/annotations",',
      '  api_key="k\\"1\\\\",',
      ')',
    ].join('\n'),
  )
})

test('the Python snippet shows a mask as it is', () => {
  expect(pythonSnippet('http://localhost:6900', MASK)).toContain(`api_key="${MASK}"`)
})
