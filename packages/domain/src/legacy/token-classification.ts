import { codePointLength } from '../code-points.ts'
import { invalid } from '../errors.ts'
import { Float, Int, type Json, List, NullByDefault, Shape, Text, Type } from '../schema.ts'
import { commonOf, LABEL_LENGTH_MAX, Score, type Side, type StoredRecord } from './record.ts'
import type { Mention, TaskRules } from './task.ts'

export interface Entity {
  start: number
  end: number
  label: string
  score: number
}

const Entities = List(
  Shape(
    { start: Int({ minimum: 0 }), end: Int({ minimum: 0 }), label: Text(1, LABEL_LENGTH_MAX), score: Score },
    {
      'x-check': ((entity: Entity) => (entity.end > entity.start ? null : '`end` must be greater than `start`')) as (
        value: never,
      ) => string | null,
    },
  ),
)

const isNotBlank = (text: string) => (text.trim() === '' ? 'must not be blank' : null)

export const entitiesOf = (side: Side | undefined) => (side?.entities ?? []) as unknown as Entity[]

interface Borders {
  starts: Set<number>
  ends: Set<number>
}

/**
 * Returns the start and end of each token in code points, like clients. Throws if the text does not contain the tokens in this
 * order.
 */
function findBorders(text: string, tokens: readonly string[]): Borders {
  const [starts, ends] = [new Set<number>(), new Set<number>()]
  let [at, point] = [0, 0]
  for (const [i, token] of tokens.entries()) {
    const found = text.indexOf(token, at)
    if (found === -1) throw invalid('this token does not follow in `text` after those before it', ['tokens', i])
    point += codePointLength(text.slice(at, found))
    starts.add(point)
    point += codePointLength(token)
    ends.add(point)
    at = found + token.length
  }
  return { starts, ends }
}

/** Trims white space and cuts the entity at the end of the text. */
function trimEntity(entity: Entity, points: readonly string[]): Entity {
  let [start, end] = [entity.start, Math.min(entity.end, points.length)]
  while (start < end && points[start]?.trim() === '') start++
  while (end > start && points[end - 1]?.trim() === '') end--
  return { ...entity, start, end }
}

/** Returns the capitalization of a word: all upper case, all lower case, first letter upper case, or upper case inside. */
export function capitalnessOf(value: string): string | null {
  const [upper, lower] = [value.toUpperCase(), value.toLowerCase()]
  if (upper === lower) return null
  if (value === upper) return 'UPPER'
  if (value === lower) return 'LOWER'
  return value.charAt(0) !== lower.charAt(0) && value.slice(1) === lower.slice(1) ? 'FIRST' : 'MIDDLE'
}

function mentionsOf(side: Side | undefined, points: readonly string[]): Mention[] {
  return entitiesOf(side).map(({ start, end, label, score }) => {
    const value = points.slice(start, end).join('')
    return { value, label, score, capitalness: capitalnessOf(value) }
  })
}

const isSame = (a: readonly Entity[], b: readonly Entity[]) =>
  a.length === b.length && a.every((one, i) => one.start === b[i]?.start && one.end === b[i]?.end && one.label === b[i]?.label)

export const tokenClassification: TaskRules = {
  Record: Shape(
    {
      ...commonOf({ entities: Type.Optional({ ...Entities, default: [] } as typeof Entities), score: NullByDefault(Float()) }),
      text: Type.String({ 'x-check': isNotBlank }),
      tokens: List(Text(1), { minItems: 1 }),
    },
    { 'x-alias': { raw_text: 'text' } },
  ),
  toStored: ({ text, tokens }) => {
    findBorders(text as string, tokens as string[])
    return { text: text as string, tokens: tokens as string[] }
  },
  toStoredSide: ({ entities, score }, { text, tokens }) => {
    const { starts, ends } = findBorders(text as string, tokens as string[])
    const points = Array.from(text as string)
    const trimmed = (entities as unknown as Entity[]).map((entity, i) => {
      const fitted = trimEntity(entity, points)
      if (starts.has(fitted.start) && ends.has(fitted.end)) return fitted
      throw invalid(`the span from ${entity.start} to ${entity.end} must start and end where tokens do`, ['entities', i])
    })
    return { entities: trimmed as unknown as Json, ...(score == null ? {} : { score }) }
  },
  derive: record => {
    const text = record.text as string
    const points = Array.from(text)
    const [predicted, annotated] = [entitiesOf(record.prediction), entitiesOf(record.annotation)]
    return {
      text,
      predicted_as: predicted.map(({ label }) => label),
      annotated_as: annotated.map(({ label }) => label),
      score: scoresOf(record),
      predicted: record.prediction && record.annotation ? (isSame(predicted, annotated) ? 'ok' : 'ko') : null,
      metrics: {
        text_length: points.length,
        tokens: (record.tokens as string[]).map(value => ({ value, capitalness: capitalnessOf(value) })),
        predicted: { mentions: mentionsOf(record.prediction, points) },
        annotated: { mentions: mentionsOf(record.annotation, points) },
      },
    }
  },
  labelsOf: side => entitiesOf(side).map(({ label }) => label),
}

function scoresOf({ prediction }: StoredRecord): number[] {
  return typeof prediction?.score === 'number' ? [prediction.score] : entitiesOf(prediction).map(({ score }) => score)
}
