/**
 * Options that admins set for all users of this web UI. They are stored in the dataset's own `metadata` under one key, because
 * other clients preserve metadata but reject unknown keys in questions.
 */
import type { Dataset } from '@postil/domain/datasets'
import { LABEL_COLOURS, type LabelColour, type LabelColours } from './label-colours.ts'
import { toHost } from './web-address.ts'

export const SUGGESTION_MODES = ['prefill', 'show', 'hide'] as const
/**
 * `prefill`: answers start with the suggestion. `show`: suggestions are shown beside the options. `hide`: suggestions are hidden
 * until the record is answered.
 */
export type SuggestionMode = (typeof SUGGESTION_MODES)[number]

export const VIEWS = ['focus', 'bulk'] as const
export type View = (typeof VIEWS)[number]

/** `side`: compared fields are shown side by side in the focus view on wide screens. */
export const FIELD_LAYOUTS = ['stacked', 'side'] as const
export type FieldLayout = (typeof FIELD_LAYOUTS)[number]

/** With more columns, the text is too narrow to read. */
export const COMPARED_FIELDS_MAX = 4

/** Records per page in the bulk view. */
export const PAGE_SIZES = [10, 25, 50, 100] as const
export type PageSize = (typeof PAGE_SIZES)[number]

export interface SavedView {
  name: string
  /** Query string of the annotation page. */
  query: string
}

/**
 * Recommended maximum length of an answer. Not enforced: longer answers show a warning but can be submitted. Null means no limit.
 */
export type TextLimits = {
  characters: number | null
  words: number | null
}

export interface DatasetOptions {
  suggestions: SuggestionMode
  autosave: boolean
  /** Initial view of the annotation page, unless its URL names another one. */
  view: View
  pageSize: PageSize
  fieldLayout: FieldLayout
  /** Names of the compared fields. If empty, the last two fields are compared. */
  comparedFields: string[]
  /** Question name -> option value -> letter. */
  letters: Record<string, Record<string, string>>
  /** Name of a span question -> label -> colour. Other labels get colours by order. */
  colours: Record<string, Record<string, LabelColour>>
  /** Name of a text question -> limits. */
  limits: Record<string, TextLimits>
  views: SavedView[]
  /** Purpose of the dataset in one sentence. */
  description: string
  /** Hosts from which records load images, audio and video for all users without confirmation. */
  imageHosts: string[]
}

/** Options of a single question. */
export interface QuestionOptions {
  /** Option value -> letter. */
  letters: Readonly<Record<string, string>>
  colours: LabelColours
  limits: TextLimits
}

const NO_LIMITS: TextLimits = { characters: null, words: null }

export const questionOptionsOf = (options: DatasetOptions, { name }: { name: string }): QuestionOptions => ({
  letters: options.letters[name] ?? {},
  colours: options.colours[name] ?? {},
  limits: options.limits[name] ?? NO_LIMITS,
})

const KEY = 'postil'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the options and drops invalid values, because anyone who can edit the dataset can write arbitrary metadata. */
export function optionsOf(dataset: Pick<Dataset, 'metadata'>): DatasetOptions {
  const stored = isObject(dataset.metadata) && isObject(dataset.metadata[KEY]) ? dataset.metadata[KEY] : {}
  return {
    suggestions: SUGGESTION_MODES.find(mode => mode === stored.suggestions) ?? 'prefill',
    autosave: stored.autosave !== false,
    view: VIEWS.find(view => view === stored.view) ?? 'focus',
    pageSize: PAGE_SIZES.find(size => size === stored.pageSize) ?? 10,
    fieldLayout: FIELD_LAYOUTS.find(layout => layout === stored.fieldLayout) ?? 'stacked',
    comparedFields: namesOf(stored.comparedFields),
    letters: byQuestion(stored.letters, letters => entriesThat(letters, isLetter)),
    colours: byQuestion(stored.colours, colours => entriesThat(colours, isColour)),
    limits: byQuestion(stored.limits, limitsOf),
    views: viewsOf(stored.views),
    description: typeof stored.description === 'string' ? stored.description : '',
    imageHosts: hostsOf(stored.imageHosts),
  }
}

const byQuestion = <T>(stored: unknown, read: (given: Record<string, unknown>) => T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(isObject(stored) ? stored : {}).map(([question, given]) => [question, read(isObject(given) ? given : {})]),
  )

const entriesThat = <T>(given: Record<string, unknown>, isFitting: (value: unknown) => value is T): Record<string, T> =>
  Object.fromEntries(Object.entries(given).flatMap(([key, value]) => (isFitting(value) ? [[key, value]] : [])))

const isLetter = (value: unknown): value is string => typeof value === 'string' && /^\p{L}$/u.test(value)
const isColour = (value: unknown): value is LabelColour => LABEL_COLOURS.some(colour => colour === value)

export const LIMIT_MAX = 1_000_000
export const isLimit = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMIT_MAX
const limitsOf = ({ characters, words }: Record<string, unknown>): TextLimits => ({
  characters: isLimit(characters) ? characters : null,
  words: isLimit(words) ? words : null,
})

const namesOf = (stored: unknown): string[] =>
  [...new Set((Array.isArray(stored) ? stored : []).filter(name => typeof name === 'string'))].slice(0, COMPARED_FIELDS_MAX)

export const IMAGE_HOSTS_MAX = 50
const hostsOf = (stored: unknown): string[] =>
  (Array.isArray(stored) ? stored : [])
    .flatMap(host => (typeof host === 'string' ? (toHost(host) ?? []) : []))
    .slice(0, IMAGE_HOSTS_MAX)

const viewsOf = (stored: unknown): SavedView[] =>
  (Array.isArray(stored) ? stored : []).flatMap(view =>
    isObject(view) && typeof view.name === 'string' && typeof view.query === 'string'
      ? [{ name: view.name, query: view.query }]
      : [],
  )

/** Returns the dataset's metadata with these options included. */
export const withOptions = (dataset: Pick<Dataset, 'metadata'>, options: DatasetOptions) => ({
  ...(isObject(dataset.metadata) ? dataset.metadata : {}),
  [KEY]: { ...options, views: options.views.map(view => ({ ...view })) },
})
