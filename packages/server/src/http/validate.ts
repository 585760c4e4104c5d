/** Validation of the parts of a request: `compileSchema` for path and body, `validateQuery` for the query string. */
import type { ShapeProblem } from '@postil/domain/errors'
import type { TSchema } from '@postil/domain/schema'
import { compileSchema, type Validator } from './validate-schema.ts'

export { compileSchema, type Validator }

interface QuerySchema {
  properties?: Record<string, TSchema>
  'x-alias'?: Record<string, string>
}

/** If a name is repeated, single values take the last one and arrays take all. */
export function validateQuery(schema: TSchema, search: URLSearchParams, problems: ShapeProblem[]): unknown {
  // TypeBox's type does not declare custom keywords.
  const { properties = {}, 'x-alias': aliases = {} } = schema as QuerySchema
  const given: [string, string | string[]][] = []
  for (const name of [...Object.keys(properties), ...Object.keys(aliases)]) {
    const values = search.getAll(name)
    const last = values.at(-1)
    if (last !== undefined) given.push([name, isList(properties[aliases[name] ?? name]) ? values : last])
  }
  return compileSchema(schema)(Object.fromEntries(given), ['query'], problems)
}

function isList(schema: TSchema | undefined): boolean {
  const { type, anyOf = [] } = (schema ?? {}) as { type?: string; anyOf?: TSchema[] }
  return type === 'array' || anyOf.some(isList)
}
