/**
 * What a lead set for everybody in this web UI. It lies in the dataset's own `metadata`, under one key, because other clients
 * read and keep metadata but would stumble over unknown keys in questions.
 */
import type { Dataset } from '@postil/domain/datasets'
import { LABEL_COLOURS, type LabelColour, type LabelColours } from './label-colours.ts'
import { toHost } from './web-address.ts'

export const SUGGESTION_MODES = ['prefill', 'show', 'hide'] as const
/** `prefill`: answers start with the suggestion; `show`: beside the options only; `hide`: until answered. */
export type SuggestionMode = (typeof SUGGESTION_MODES)[number]

export interface SavedView {
  name: string
  /** The query string of the annotation page. */
  query: string
}

/** How long an answer should be at most. It is told, not enforced: an answer over it can be submitted. Null: no limit. */
export type TextLimits = {
  characters: number | null
  words: number | null
}

export interface DatasetOptions {
  suggestions: SuggestionMode
  autosave: boolean
  /** Question name -> option value -> letter. */
  letters: Record<string, Record<string, string>>
  /** Name of a span question -> label -> colour; all others get theirs by order. */
  colours: Record<string, Record<string, LabelColour>>
  /** Name of a text question -> limits. */
  limits: Record<string, TextLimits>
  views: SavedView[]
  /** What the dataset is for, in a sentence. */
  description: string
  /** Hosts from which records load images, sound and video for everybody, without asking. */
  imageHosts: string[]
}

/** What of it is about one question. */
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

/** Anybody who may edit the dataset can write anything there: what is not as expected is left out. */
export function optionsOf(dataset: Pick<Dataset, 'metadata'>): DatasetOptions {
  const stored = isObject(dataset.metadata) && isObject(dataset.metadata[KEY]) ? dataset.metadata[KEY] : {}
  return {
    suggestions: SUGGESTION_MODES.find(mode => mode === stored.suggestions) ?? 'prefill',
    autosave: stored.autosave !== false,
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

/** The dataset's metadata with these options in it. */
export const withOptions = (dataset: Pick<Dataset, 'metadata'>, options: DatasetOptions) => ({
  ...(isObject(dataset.metadata) ? dataset.metadata : {}),
  [KEY]: { ...options, views: options.views.map(view => ({ ...view })) },
})
