/** Converts the choices of the export dialog to an export request. */
import type { ExportFormat, ExportRequest } from '@postil/domain/exports'
import type { SearchBody } from '@postil/domain/search/query'

export type ResponsesOf = NonNullable<ExportRequest['responses']>['of']

export interface ExportChoices {
  /** True to export only records that match the current search and filters. */
  isFound: boolean
  format: ExportFormat
  of: ResponsesOf
  userId: string
  statuses: 'submitted' | 'all'
  shape: 'wide' | 'long'
  /** Null exports all columns. */
  columns: readonly string[] | null
  /** Question for formats that export a single span question. */
  question: string
}

interface FormatOptions {
  hasColumns: boolean
  responses: readonly ResponsesOf[]
  isAboutQuestion: boolean
}

const TABLE: FormatOptions = { hasColumns: true, responses: ['all', 'resolved', 'user', 'none'], isAboutQuestion: false }
const SPANS: FormatOptions = { hasColumns: false, responses: ['resolved', 'all', 'user'], isAboutQuestion: true }

/** Options of each format; combinations that the server would reject are not offered. */
export const FORMAT_OPTIONS: Record<ExportFormat, FormatOptions> = {
  csv: TABLE,
  parquet: TABLE,
  jsonl: TABLE,
  datasets: TABLE,
  disk: { hasColumns: false, responses: ['all'], isAboutQuestion: false },
  conll: SPANS,
  spacy: SPANS,
}

/** First choice of a format: a spreadsheet has a row per response, with the username; programs read lists. */
export const shapeOf = (format: ExportFormat): ExportChoices['shape'] => (format === 'csv' ? 'long' : 'wide')

export const isLongOffered = ({ format, of }: ExportChoices) =>
  FORMAT_OPTIONS[format].hasColumns && (of === 'all' || of === 'user')

/** Statuses can be chosen only for `all` and `user`, because resolved answers come from submitted responses. */
export const areStatusesOffered = ({ format, of }: ExportChoices) => format !== 'disk' && (of === 'all' || of === 'user')

/** Returns the nearest choices that the server accepts. */
export function toValidChoices(choices: ExportChoices): ExportChoices {
  const { responses } = FORMAT_OPTIONS[choices.format]
  const next = responses.includes(choices.of) ? choices : { ...choices, of: responses[0] ?? 'all' }
  return isLongOffered(next) ? next : { ...next, shape: 'wide' }
}

export function toExportRequest(given: ExportChoices, search: SearchBody | null): ExportRequest {
  const choices = toValidChoices(given)
  const { format, of, userId, statuses, shape, columns, question } = choices
  const offer = FORMAT_OPTIONS[format]
  return {
    format,
    responses: { of, ...(of === 'user' && { user_id: userId }) },
    ...(offer.hasColumns && { shape, columns: columns && [...columns] }),
    ...(areStatusesOffered(choices) && statuses === 'submitted' && { statuses: ['submitted' as const] }),
    ...(choices.isFound && search !== null && { search }),
    ...(offer.isAboutQuestion && { question }),
  }
}
