import { expect, test } from 'vitest'
import { sizeInHeader } from './header-size.ts'

test.each([
  ['png', 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAAAAAAAAAAAAAAA', { width: 640, height: 480 }],
  ['gif', 'R0lGODlhQAHIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==', { width: 320, height: 200 }],
  ['webp', 'UklGRgAAAABXRUJQVlA4WAoAAAAAAAAAHwMAVwIAAAAAAAAAAAAAAA==', { width: 800, height: 600 }],
  ['webp', 'UklGRgAAAABXRUJQVlA4TAoAAAAvIAMIAAAAAAAAAAAAAAAAAAAAAAAAAAAA', { width: 801, height: 33 }],
  ['webp', 'UklGRgAAAABXRUJQVlA4IAoAAAAAAACdASr0AZABAAAAAAAAAAAAAAAAAAAAAAAAAAA=', { width: 500, height: 400 }],
  [
    'jpeg',
    `/9j/4AAQSkZJRgAAAAAAAAAAAAD/2wBD${'A'.repeat(86)}D/wAARCAMABAADAAAAAAAAAAAAAAAAAAAAAAAAAAA=`,
    { width: 1024, height: 768 },
  ],
])('the size of a %s stands in its first bytes', (type, bytes, size) => {
  expect(sizeInHeader(`data:image/${type};base64,${bytes}`)).toEqual(size)
})

test.each([
  ['a photograph that may lie on its side', '/9j/4AAQSkZJRgAAAAAAAAAAAAD/4QAKRXhpZgAALi7/2wBDAAAAAAAAAAAAAAAAAAAA'],
  ['bytes of something else', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['too few bytes', 'iVBORw0KGgo='],
  ['what is not base64', '%%%%'],
  ['a size of nothing', 'iVBORw0KGgoAAAANSUhEUgAAAAAAAAAACAIAAAAAAAAAAAAAAAAA'],
])('%s has none', (_, bytes) => {
  expect(sizeInHeader(`data:image/jpeg;base64,${bytes}`)).toBeNull()
})

test.each(['https://example.org/a.png', 'data:image/svg+xml,<svg/>', ''])('%s is not looked into', url => {
  expect(sizeInHeader(url)).toBeNull()
})
