import type { ActorName } from '../http.ts'

interface Refused {
  request?: string
  body?: unknown
  status?: number
  code?: string
}

/** `{name}` in a request is replaced with a property of `Prepared`. */
export interface LegacyCase {
  request: string
  body?: unknown
  /** Defaults to the owner. */
  caller?: ActorName
  answer?: unknown
  forbidden?: ActorName[]
  invalid?: Refused[]
  missing?: (Refused & { request: string })[]
}

export const STRANGERS: ActorName[] = ['strangerAdmin', 'strangerAnnotator']
export const NOT_ADMINS: ActorName[] = [...STRANGERS, 'memberAnnotator']
export const NOT_OWNERS: ActorName[] = ['memberAdmin', 'memberAnnotator', 'strangerAdmin']

export const IN = '?workspace={workspace}'
export const at = (method: string, rest: string) => ({
  request: `${method} /api/datasets/{texts}${rest}${IN}`,
  missing: [
    { request: `${method} /api/datasets/nothing${rest}${IN}` },
    { request: `${method} /api/datasets/{texts}${rest}?workspace=nowhere` },
    { request: `${method} /api/datasets/{texts}${rest}`, status: 400, code: 'MissingInputParamError' },
  ],
})

export const WRONG_TASK = { status: 400, code: 'WrongTaskError' }
export const BAD = { status: 400, code: 'BadRequestError' }
export const RULES = '/TextClassification/labeling/rules'
