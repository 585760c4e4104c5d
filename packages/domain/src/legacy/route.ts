import type { Route } from '../api/route.ts'
import type { TSchema } from '../schema.ts'
import { TASK_SPELLINGS, TASKS } from './tasks.ts'

/**
 * A contract of a legacy route. It may have several paths, which contain colons and query texts, so `Route` cannot describe them.
 */
export interface LegacyRoute<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
> extends Route<P, Q, B, A> {
  paths: readonly string[]
}

type Given<R> = Omit<R, 'auth' | 'tag' | 'path' | 'status' | 'paths'> & { auth?: boolean; paths: readonly [string, ...string[]] }

/** Every legacy route responds with 200, even after a creation. */
export const legacyRoute = <P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  contract: Given<LegacyRoute<P, Q, B, A>>,
): LegacyRoute<P, Q, B, A> => ({ auth: true, tag: 'legacy', status: 200, path: contract.paths[0], ...contract })

const escaped = (word: string) => word.replaceAll('.', '\\.')

/** Pattern of each path parameter. */
const PATTERNS: Record<string, string> = {
  // A name, or the id `<workspace>.<name>`.
  name: '[^/:]+',
  task: TASKS.join('|'),
  any_task: TASK_SPELLINGS.map(escaped).join('|'),
  settings_task: 'TextClassification|TokenClassification',
  metric: '[^/:]+',
  // May contain slashes and colons.
  query: '.+',
  record_id: '.+',
}

/** Converts a path such as `/api/datasets/{name}/{task}:bulk` to a regular expression with named groups. */
export const toPathPattern = (path: string): RegExp =>
  new RegExp(`^${escaped(path).replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${PATTERNS[name] ?? '[^/]+'})`)}$`, 's')
