/**
 * What a lead set for everybody in this web UI. It lies in the dataset's own `metadata`, under one key, because other clients
 * read and keep metadata but would stumble over unknown keys in questions.
 */
import type { Dataset } from '@postil/domain/datasets'

export const SUGGESTION_MODES = ['prefill', 'show', 'hide'] as const
/** `prefill`: answers start with the suggestion; `show`: beside the options only; `hide`: until answered. */
export type SuggestionMode = (typeof SUGGESTION_MODES)[number]

export interface SavedView {
  name: string
  /** The query string of the annotation page. */
  query: string
}

export interface DatasetOptions {
  suggestions: SuggestionMode
  autosave: boolean
  /** Question name -> option value -> letter. */
  letters: Record<string, Record<string, string>>
  views: SavedView[]
  /** What the dataset is for, in a sentence. */
  description: string
}

const KEY = 'postil'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Anybody who may edit the dataset can write anything there: what is not as expected is left out. */
export function optionsOf(dataset: Pick<Dataset, 'metadata'>): DatasetOptions {
  const stored = isObject(dataset.metadata) && isObject(dataset.metadata[KEY]) ? dataset.metadata[KEY] : {}
  return {
    suggestions: SUGGESTION_MODES.find(mode => mode === stored.suggestions) ?? 'prefill',
    autosave: stored.autosave !== false,
    letters: lettersOf(stored.letters),
    views: viewsOf(stored.views),
    description: typeof stored.description === 'string' ? stored.description : '',
  }
}

function lettersOf(stored: unknown): DatasetOptions['letters'] {
  if (!isObject(stored)) return {}
  const perQuestion = Object.entries(stored).map(([question, letters]) => {
    const kept = isObject(letters)
      ? Object.entries(letters).filter(([, letter]) => typeof letter === 'string' && /^\p{L}$/u.test(letter))
      : []
    return [question, Object.fromEntries(kept)]
  })
  return Object.fromEntries(perQuestion)
}

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
