import { invalid } from '../errors.ts'
import { listed } from '../message-values.ts'

/** Relations to include with the records of a response; `vectors` may list names. */
export interface Include {
  responses: boolean
  suggestions: boolean
  vectors: boolean | string[]
}

const KEYS = ['responses', 'suggestions', 'vectors']

/** Parses the `include` parameter: `responses,suggestions`, `vectors`, `vectors:name,other`. Throws `invalid`. */
export function parseInclude(values: readonly string[] = []): Include {
  const keys = new Set<string>()
  const vectorNames = new Set<string>()
  for (const value of values) {
    const [left = '', right, ...more] = value.split(':')
    const names = (right ?? left).split(',')
    if (more.length > 0 || left === '' || names.includes('')) throw invalid('`include` has an empty or doubled part')
    if (right === undefined) {
      for (const name of names) keys.add(checkKey(name))
    } else if (left === 'vectors') {
      // Other pairs are ignored.
      for (const name of names) vectorNames.add(name)
    }
  }
  if (keys.has('vectors') && vectorNames.size > 0) throw invalid('`include` asks for all vectors and for some by name')
  return {
    responses: keys.has('responses'),
    suggestions: keys.has('suggestions'),
    vectors: vectorNames.size > 0 ? [...vectorNames] : keys.has('vectors'),
  }
}

function checkKey(key: string): string {
  if (!KEYS.includes(key)) throw invalid(`\`include\` does not know \`${key.slice(0, 100)}\`. Known: ${listed(KEYS)}`)
  return key
}
