/** Query texts made of the words of a record, so that most of them find something. */
import type { SearchDocument } from '@postil/domain/search/document'
import { tokenize } from '@postil/domain/search/tokens'
import type { Draw } from './draw.ts'
import { drawWord } from './words.ts'

interface Words {
  /** Returns a token of the record. */
  own(): string
  /** Returns a word that the record may not contain. */
  other(): string
  /** Returns up to `length` consecutive tokens of the record. */
  run(length: number): string[]
}

type Template = (words: Words, draw: Draw) => string

const TEMPLATES: Record<string, Template> = {
  word: ({ own }) => own(),
  'any word': ({ other }) => other(),
  and: ({ own }) => `${own()} ${own()}`,
  plus: ({ own }) => `${own()} + ${own()}`,
  or: ({ own, other }) => `${own()} | ${other()}`,
  'or and': ({ own, other }) => `${own()} | ${other()} ${own()}`,
  not: ({ own, other }) => `${own()} -${other()}`,
  'only not': ({ own }) => `-${own()}`,
  'or not': ({ own, other }) => `${own()} | -${other()}`,
  group: ({ own, other }) => `(${own()} | ${other()}) ${own()}`,
  'not group': ({ own, other }) => `-(${own()} | ${other()})`,
  phrase: ({ run }) => `"${run(3).join(' ')}"`,
  'phrase with moves': ({ run }, draw) => `"${swapped(run(4)).join(' ')}"~${1 + draw.below(4)} `,
  prefix: ({ own }, draw) => `${startOf(own(), 1 + draw.below(3))}*`,
  'fuzzy by one': ({ own }, draw) => `${misspelled(own(), draw)}~1`,
  'fuzzy by two': ({ own }, draw) => `${misspelled(misspelled(own(), draw), draw)}~`,
  escaped: ({ own }) => `\\-${own()} \\"`,
  unclosed: ({ own, other }, draw) => draw.pick([`(${own()} | ${other()}`, `"${own()}`, `${own()} )`, `"${own()} ${own()}`]),
  everything: () => '*',
  nothing: ({ own }, draw) => draw.pick(['', '   ', '-', `${own()} *`, `${own()} &`, '()', '"" *']),
  glued: ({ own, run }, draw) => run(2).join(draw.pick(['-', '/', ',', '*', '?'])) || own(),
  syntax: ({ own }, draw) => `${draw.pick(['text:', '!', ''])}${own()}${draw.pick(['^2', '!', ':', '?', ''])}`,
  unspaced: (_words, draw) => draw.pick(['東京', '京東', '京', 'ひら*', 'がな', 'カタ*', 'タワー', '서울*', '"東 京"', 'ภาษา*']),
  folded: (_words, draw) => draw.pick(['CAFÉ', 'cafe', 'STRASSE', 'angstrom', 'istanbul', 'ελλαδασ', 'naive', 'full', 'fine']),
}

export const TEXT_OPERATORS = Object.keys(TEMPLATES)

export function drawTextQuery(draw: Draw, document: SearchDocument, operator: string, field: string | null): string {
  const pieces = [...document.text].flatMap(([name, texts]) => (field === null || name === field ? texts : [])).map(tokenize)
  const tokens = pieces.flat()
  const words: Words = {
    own: () => (tokens.length === 0 ? drawWord(draw) : draw.pick(tokens)),
    other: () => drawWord(draw),
    run: length => {
      const piece = draw.pick(pieces) ?? []
      const start = draw.below(Math.max(1, piece.length - length + 1))
      return piece.slice(start, start + length)
    },
  }
  return TEMPLATES[operator]?.(words, draw) ?? ''
}

const startOf = (word: string, length: number) => [...word].slice(0, length).join('')

/** Swaps the first two words. */
const swapped = ([first = '', second = '', ...rest]: string[]) => [second, first, ...rest].filter(word => word !== '')

function misspelled(word: string, draw: Draw): string {
  const letters = [...word]
  const at = draw.below(letters.length)
  const change = draw.pick<[number, ...string[]]>([[1, 'z'], [0, 'z'], [1]])
  letters.splice(at, ...(change as [number, string]))
  return letters.join('') || word
}
