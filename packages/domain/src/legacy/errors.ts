/** Errors of the legacy routes: a status, a code of the 1.x API, and parameters. */

export type LegacyStatus = 400 | 404 | 409 | 422

export class LegacyError extends Error {
  override readonly name = 'LegacyError'
  readonly status: LegacyStatus
  /** Code without the common prefix. */
  readonly code: string
  readonly params: Record<string, unknown>

  constructor(status: LegacyStatus, code: string, params: Record<string, unknown>) {
    super(`${code}: ${JSON.stringify(params)}`)
    this.status = status
    this.code = code
    this.params = params
  }
}

type Noun =
  | 'ServiceDataset'
  | 'Dataset'
  | 'Workspace'
  | 'User'
  | 'ServiceLabelingRule'
  | 'ServiceBaseMetric'
  | 'TextClassificationSettings'
  | 'TokenClassificationSettings'

export const entityNotFound = (type: Noun, name: string) => new LegacyError(404, 'EntityNotFoundError', { name, type })

export const recordNotFound = (dataset: string, id: string) =>
  new LegacyError(404, 'RecordNotFound', { dataset, id, name: `${dataset}.${id}`, type: 'Record' })

export const entityExists = (type: Noun, name: string, workspace?: string) =>
  new LegacyError(409, 'EntityAlreadyExistsError', { name, type, ...(workspace === undefined ? {} : { workspace }) })

export const badRequest = (message: string) => new LegacyError(400, 'BadRequestError', { message })
export const missingWorkspace = () =>
  new LegacyError(400, 'MissingInputParamError', {
    message: 'A workspace is required: give the query parameter `workspace` or the header `X-Argilla-Workspace`',
  })
export const wrongTask = (message: string) => new LegacyError(400, 'WrongTaskError', { message })
export const invalidQueryText = (message: string) => new LegacyError(400, 'InvalidTextSearchError', { message })
export const closedDataset = (name: string) => new LegacyError(400, 'ClosedDatasetError', { name })
export const tooManyMetadata = (len: number, limit: number) => new LegacyError(400, 'MetadataLimitExceededError', { len, limit })
