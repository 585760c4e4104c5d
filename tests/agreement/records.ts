/** The compared records: record `i` is the same in every run, except for the ids of questions and users. */
import type { Id } from '@postil/domain/schema'
import { createDraw, type Draw } from './draw.ts'
import { FIELD, LABELS, PROPERTY, QUESTION, RANKED, RATINGS, SOURCES, SPANS, TOPICS, VECTOR } from './settings.ts'
import { drawText, drawWord } from './words.ts'

export const PEOPLE = ['owner', 'admin', 'ann', 'ben'] as const
export type PersonName = (typeof PEOPLE)[number]

export interface Ids {
  questions: ReadonlyMap<string, Id>
  people: Record<PersonName, Id>
}

interface Given {
  /** Increases with each write of a record. */
  version: number
  vectors: readonly string[]
}

/** External ids sort by code point: upper case before lower case, `10` before `2`. */
export function toExternalId(i: number): string {
  const prefix = ['r', 'R', 'é', '漢', '😀', 'row/', '"', "'", '\\'][i % 9]
  return `${prefix}${i}`
}

/** Returns an item of a bulk request. */
export function toItem(i: number, ids: Ids, { version, vectors }: Given = { version: 1, vectors: Object.values(VECTOR) }) {
  const draw = createDraw(i * 1_000 + version)
  const text = drawText(draw, 1, 12)
  return {
    external_id: toExternalId(i),
    fields: toFields(draw, text),
    metadata: toMetadata(draw, i),
    suggestions: toSuggestions(draw, text, ids),
    vectors: toVectors(draw, i, vectors),
    responses: draw.chance(0.3) ? draw.some(PEOPLE, 1, 3).map(name => toOwnResponse(draw, text, ids.people[name])) : [],
  }
}

function toFields(draw: Draw, text: string) {
  const messages = Array.from({ length: draw.below(4) }, () => ({
    role: draw.pick(['user', 'assistant', 'green', 'User']),
    content: drawText(draw, 1, 5),
  }))
  return {
    [FIELD.text]: text,
    ...(draw.chance(0.5) ? { [FIELD.dotted]: draw.chance(0.1) ? '' : drawText(draw, 1, 6) } : {}),
    ...(draw.chance(0.3) ? { [FIELD.inherited]: drawText(draw, 1, 3) } : {}),
    ...(draw.chance(0.5) ? { [FIELD.talk]: messages } : {}),
    ...(draw.chance(0.4)
      ? { [FIELD.page]: { [drawWord(draw)]: drawText(draw, 1, 4), list: [draw.below(20), null, true, 'fox'] } }
      : {}),
    ...(draw.chance(0.2) ? { [FIELD.picture]: 'https://example.com/green.png' } : {}),
  }
}

const FREE_TERMS = [
  'a',
  'B',
  'b',
  '10',
  '2',
  7,
  true,
  2.5,
  '',
  ' ',
  'é',
  'e\u0301',
  '漢',
  '😀',
  '\uffff',
  'a.b',
  'x'.repeat(7_900),
]
const FLOATS = [0.1, 0.25, -1.25, 0, 3.5, 100000.123456, 16777217, 1e-7, 3e38, -3e38, 1 / 3]
const INTEGERS = [-5, 0, 1, 2, 3, 5, 8, 13, 21, 40, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, 2 ** 53 - 2, -(2 ** 53) + 1]
/** An integer property accepts the safe integers among these. */
const LATE_VALUES = [1, 2, 3, 4, 50, 'text', 2.5, ['list'], null, true]

function toMetadata(draw: Draw, i: number) {
  if (draw.chance(0.1)) return null
  const terms = () => draw.pick(FREE_TERMS)
  return {
    ...(draw.chance(0.8) ? { [PROPERTY.source]: draw.chance(0.2) ? draw.some(SOURCES, 0, 3) : draw.pick(SOURCES) } : {}),
    ...(draw.chance(0.7) ? { [PROPERTY.free]: draw.chance(0.3) ? [terms(), terms(), terms()] : terms() } : {}),
    ...(draw.chance(0.5) ? { [PROPERTY.hidden]: `secret ${draw.below(4)}` } : {}),
    ...(draw.chance(0.5) ? { [PROPERTY.long]: draw.pick(['one', 'two', 'One']) } : {}),
    ...(draw.chance(0.8) ? { [PROPERTY.integer]: draw.chance(0.7) ? draw.below(50) : draw.pick(INTEGERS) } : {}),
    ...(draw.chance(0.8) ? { [PROPERTY.float]: draw.chance(0.6) ? draw.below(100) / 10 : draw.pick(FLOATS) } : {}),
    ...(i % 2 === 0 ? { [PROPERTY.late]: draw.pick(LATE_VALUES) } : {}),
    ...(draw.chance(0.2) ? { extra: { nested: [draw.below(5)] } } : {}),
  }
}

/** Draws an answer to a question, for a record with this text. */
function toAnswer(draw: Draw, name: string, text: string) {
  switch (name) {
    case QUESTION.label:
      return draw.pick(LABELS)
    case QUESTION.labels:
      return draw.some(TOPICS, 1, 3)
    case QUESTION.ranking: {
      const ranks = draw.pick([
        [1, 2, 3],
        [3, 2, 1],
        [1, 1, 3],
        [2, 1, 3],
      ])
      return RANKED.map((value, at) => ({ value, rank: ranks[at] ?? 1 }))
    }
    case QUESTION.span:
      return draw
        .some(
          [...text].map((_, start) => start),
          0,
          2,
        )
        .map(start => ({ label: draw.pick(SPANS), start, end: start + 1 }))
    case QUESTION.text:
      return draw.pick(['green', ' ', 'a longer answer'])
    default:
      return draw.pick(RATINGS)
  }
}

const AGENTS = ['model-a', 'Model-A', 'gpt 4.1', 'agent:b/c', null]

export function toSuggestion(draw: Draw, name: string, text: string, ids: Ids) {
  const value = toAnswer(draw, name, text)
  const score = () => draw.below(21) / 20
  const scores = Array.isArray(value) ? value.map(score) : score()
  const isScored = !(Array.isArray(value) && value.length === 0) && draw.chance(0.8)
  return {
    question_id: ids.questions.get(name) ?? '',
    value,
    score: isScored ? scores : null,
    agent: draw.pick(AGENTS),
    type: draw.pick(['model', 'human', null]),
  }
}

const toSuggestions = (draw: Draw, text: string, ids: Ids) =>
  draw.some(Object.values(QUESTION), 0, 5).map(name => toSuggestion(draw, name, text, ids))

/** A response with its user, for a records bulk request. */
const toOwnResponse = (draw: Draw, text: string, userId: Id) => ({ user_id: userId, ...toResponse(draw, text) })

export function toResponse(draw: Draw, text: string) {
  const status = draw.pick(['submitted', 'submitted', 'draft', 'discarded'] as const)
  const others = Object.values(QUESTION).filter(name => name !== QUESTION.label)
  const isEmpty = status !== 'submitted' && draw.chance(0.2)
  const names = isEmpty
    ? []
    : [...(status === 'submitted' || draw.chance(0.8) ? [QUESTION.label] : []), ...draw.some(others, 0, 4)]
  return { status, values: Object.fromEntries(names.map(name => [name, { value: toAnswer(draw, name, text) }])) }
}

function toVectors(draw: Draw, i: number, names: readonly string[]) {
  const vector = (length: number) => Array.from({ length }, () => draw.signed())
  // Every fifth record has one of a few vectors, because equally similar records are ordered by id.
  const repeated = (length: number) => Array.from({ length }, (_, at) => ((i / 5) % 3) + at + 1)
  const given = {
    ...(draw.chance(0.7) ? { [VECTOR.four]: i % 5 === 0 ? repeated(4) : vector(4) } : {}),
    // One vector is all zeros, which has the same distance to every vector.
    ...(draw.chance(0.4) ? { [VECTOR.two]: i % 50 === 0 ? [0, 0] : vector(2) } : {}),
    ...(draw.chance(0.5) ? { [VECTOR.late]: vector(3) } : {}),
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)))
}
