import { describe, expect, test } from 'vitest'
import { diffWords } from './diff.ts'

const shown = (from: string, to: string) =>
  diffWords(from, to)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `{+${text}+}` : `[-${text}-]`))
    .join('')

describe('changes word by word', () => {
  test.each([
    { from: '', to: '', diff: '' },
    { from: 'same text', to: 'same text', diff: 'same text' },
    { from: '', to: 'new', diff: '{+new+}' },
    { from: 'old', to: '', diff: '[-old-]' },
    { from: 'I am sorry for it.', to: 'I am sorry.', diff: 'I am sorry[- for it-].' },
    { from: 'a good day', to: 'a very good day', diff: 'a {+very +}good day' },
    { from: 'send the bag today', to: 'send two bags today', diff: 'send [-the bag-]{+two bags+} today' },
    { from: 'one two three', to: 'one 2 three', diff: 'one [-two-]{+2+} three' },
    { from: 'Hello, world', to: 'Hello world', diff: 'Hello[-,-] world' },
    { from: '東京に行く', to: '京都に行く', diff: '[-東-]京{+都+}に行く' },
    { from: 'a\n\nb', to: 'a\nb', diff: 'a[-\n\n-]{+\n+}b' },
  ])('$from -> $to', ({ from, to, diff }) => {
    expect(shown(from, to)).toBe(diff)
  })

  test('nothing is lost on either side', () => {
    const words = (seed: number) => Array.from({ length: 300 }, (_, index) => `w${(index * seed) % 37}`).join(' ')
    const [from, to] = [words(7), words(11)]
    const pieces = diffWords(from, to)
    const without = (kind: string) =>
      pieces
        .filter(piece => piece.kind !== kind)
        .map(({ text }) => text)
        .join('')
    expect(without('added')).toBe(from)
    expect(without('removed')).toBe(to)
  })

  test('what is too long to compare counts as rewritten, between the ends that stayed', () => {
    const words = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join(' ')
    const pieces = diffWords(`start ${words('a')} end`, `start ${words('b')} end`)
    expect(pieces.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same'])
    expect(pieces[0]?.text).toBe('start ')
  })
})
