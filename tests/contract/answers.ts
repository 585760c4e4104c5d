/** Expected responses: errors in one of the three shapes that clients know, and bodies that match the contract exactly. */
import type { ShapeProblem } from '@postil/domain/errors'
import { type TSchema, Type } from '@postil/domain/schema'
import { expect } from 'vitest'
import { compileSchema } from '../../packages/server/src/http/validate.ts'
import type { Answer } from './http.ts'

const CODE_PREFIX = 'argilla.api.errors::'
const text = expect.stringMatching(/./)

/** Type of a problem, then its location. */
export type ShapeProblemAt = [type: string, ...loc: (string | number)[]]

export function expectUnauthorized(answer: Answer): void {
  expect(answer.body).toEqual({ detail: { code: `${CODE_PREFIX}UnauthorizedError`, params: { detail: text } } })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBeNull()
}

export function expectForbidden(answer: Answer): void {
  expect(answer.body).toEqual({ detail: { code: `${CODE_PREFIX}ForbiddenOperationError`, params: { detail: text } } })
  expect(answer.status).toBe(403)
}

/** Expects 401, 404, 409 or 422 with one sentence. */
export function expectRefused(answer: Answer, status: 401 | 404 | 409 | 422 = 422): void {
  expect(answer.body).toEqual({ detail: text })
  expect(answer.status).toBe(status)
}

/** Expects 409 because the state differs from what the caller assumed. */
export function expectConflict(answer: Answer): void {
  expect(answer.body).toEqual({ detail: text, code: 'conflict' })
  expect(answer.status).toBe(409)
}

/** Expects 422 with exactly these problems, in this order. */
export function expectProblems(answer: Answer, problems: readonly ShapeProblemAt[]): void {
  expect(toProblems(answer)).toEqual(problems)
}

/** Expects 422 with this problem among others. */
export function expectProblem(answer: Answer, ...problem: ShapeProblemAt): void {
  expect(toProblems(answer)).toContainEqual(problem)
}

function toProblems(answer: Answer): ShapeProblemAt[] {
  const errors = expect.arrayContaining([{ type: text, loc: expect.any(Array), msg: text }])
  expect(answer.body).toEqual({ detail: { code: `${CODE_PREFIX}ValidationError`, params: { errors } } })
  expect(answer.status).toBe(422)
  const { detail } = answer.body as { detail: { params: { errors: ShapeProblem[] } } }
  for (const error of detail.params.errors) expect(Object.keys(error).toSorted()).toEqual(['loc', 'msg', 'type'])
  return detail.params.errors.map(({ type, loc }) => [type, ...loc])
}

/** Expects every declared key, no other keys, and no values that need conversion. */
export function expectShape(schema: TSchema, value: unknown): void {
  const problems: ShapeProblem[] = []
  const read = compileSchema(toCompilable(schema))(structuredClone(value), [], problems)
  expect(problems).toEqual([])
  expect(value).toEqual(read)
}

/** Allows any JSON in objects without declared properties. */
function toCompilable(schema: TSchema): TSchema {
  const { type, properties, additionalProperties } = schema as {
    type?: string
    properties?: Record<string, TSchema>
    additionalProperties?: TSchema
  }
  if (type !== 'object' || additionalProperties !== undefined) return schema
  if (properties === undefined) return Type.Unsafe({ 'x-json': true })
  const parts = Object.entries(properties)
  if (parts.every(([, part]) => toCompilable(part) === part)) return schema
  return Type.Object(Object.fromEntries(parts.map(([key, part]) => [key, toCompilable(part)])))
}

/** `2026-11-15T02:11:22.769596`: UTC without a zone, and without a fraction if it is zero. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/
