/** Saved views: criteria under a name, kept as the query string that shows them. */
import type { SavedView } from '../../../dataset-options.ts'
import type { Criteria } from './criteria.ts'
import { readCriteria, writeCriteria } from './url-state.ts'

export const NAME_MAX = 80

export const toView = (name: string, criteria: Criteria): SavedView => ({
  name: name.trim().slice(0, NAME_MAX),
  query: new URLSearchParams(writeCriteria(criteria)).toString(),
})

export const fromView = ({ query }: SavedView): Criteria => readCriteria(Object.fromEntries(new URLSearchParams(query)))

/** A view with the same name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name))

export const withoutView = (views: readonly SavedView[], name: string): SavedView[] => views.filter(view => view.name !== name)

/** Whether this view is what is on screen. */
export const isShown = (view: SavedView, criteria: Criteria): boolean =>
  toView('', fromView(view)).query === toView('', criteria).query

/** The first name offered for what is on screen. */
export const proposeName = (criteria: Criteria, words: readonly string[]): string =>
  [criteria.search?.text ?? '', ...words]
    .filter(word => word !== '')
    .join(', ')
    .slice(0, NAME_MAX)
