/** Saved views: named criteria, stored as a query string. */
import type { SavedView } from '../../../../dataset-options.ts'
import type { Criteria } from '../query/criteria.ts'
import { readCriteria, writeCriteria } from '../query/url-state.ts'

export const NAME_MAX = 80

export const toView = (name: string, criteria: Criteria): SavedView => ({
  name: name.trim().slice(0, NAME_MAX),
  query: new URLSearchParams(writeCriteria(criteria)).toString(),
})

export const fromView = ({ query }: SavedView): Criteria => readCriteria(Object.fromEntries(new URLSearchParams(query)))

/** Replaces a view with the same name. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name))

export const withoutView = (views: readonly SavedView[], name: string): SavedView[] => views.filter(view => view.name !== name)

/** True if this view is currently shown. */
export const isShown = (view: SavedView, criteria: Criteria): boolean =>
  toView('', fromView(view)).query === toView('', criteria).query

/** Suggests a name for the current criteria. */
export const proposeName = (criteria: Criteria, words: readonly string[]): string =>
  [criteria.search?.text ?? '', ...words]
    .filter(word => word !== '')
    .join(', ')
    .slice(0, NAME_MAX)
