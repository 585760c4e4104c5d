/** Filters and sorts the datasets on the home page. Pure functions, so that the page only renders. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import { isArchived } from './archive.ts'

const MENU_KEYS = ['activity', 'created', 'name'] as const
/** The table can also be sorted by its other columns. */
export const SORT_KEYS = [...MENU_KEYS, 'workspace', 'records', 'complete', 'pending', 'responses'] as const
export type SortKey = (typeof SORT_KEYS)[number]

export interface Sort {
  key: SortKey
  isDescending: boolean
}

export const SORT_DEFAULT: Sort = { key: 'activity', isDescending: true }

export const writeSort = ({ key, isDescending }: Sort) => `${key}.${isDescending ? 'desc' : 'asc'}`

/** Returns the default if the stored value is unknown, for example from another version. */
export function readSort(text: string): Sort {
  const [name, direction] = text.split('.')
  const key = SORT_KEYS.find(known => known === name)
  return key === undefined ? SORT_DEFAULT : { key, isDescending: direction === 'desc' }
}

/** Dates are listed newest first, names in ascending order first. */
export const SORTS: readonly Sort[] = MENU_KEYS.flatMap(key =>
  [key !== 'name', key === 'name'].map(isDescending => ({ key, isDescending })),
)

export interface WorkspaceCount {
  name: string
  count: number
}

/** Returns the workspaces of the datasets, sorted by name, with the number of datasets in each. */
export function listWorkspaces(datasets: readonly DatasetWithIncludes[]): WorkspaceCount[] {
  const groups = Map.groupBy(datasets, ({ workspace }) => workspace?.name ?? '')
  return [...groups].map(([name, { length }]) => ({ name, count: length })).sort((a, b) => a.name.localeCompare(b.name))
}

export interface DatasetFilter {
  /** Names of workspaces; empty for all. */
  workspaces: readonly string[]
  search: string
  sort: Sort
  /** True for archived datasets only, false for all others. */
  isArchive: boolean
}

export function selectDatasets(
  datasets: readonly DatasetWithIncludes[],
  { workspaces, search, sort, isArchive }: DatasetFilter,
): DatasetWithIncludes[] {
  const words = fold(search.trim())
  return datasets
    .filter(dataset => isArchived(dataset) === isArchive)
    .filter(({ workspace }) => workspaces.length === 0 || workspaces.includes(workspace?.name ?? ''))
    .filter(({ name }) => fold(name).includes(words))
    .sort(comparison(sort))
}

export function recordsOf({ records_total, progress }: DatasetWithIncludes): number {
  return records_total ?? progress?.total ?? 0
}

/** Number of records that are pending for the current user. */
export function pendingOf({ metrics }: DatasetWithIncludes): number {
  return metrics?.pending_for_me ?? 0
}

/** Normalizes text for search, so that full-width letters and composed accents match. */
const fold = (text: string) => text.normalize('NFKC').toLocaleLowerCase()

type Comparison = (a: DatasetWithIncludes, b: DatasetWithIncludes) => number

const byName: Comparison = (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })
const byText =
  (textOf: (dataset: DatasetWithIncludes) => string): Comparison =>
  (a, b) =>
    textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b))

const byNumber =
  (numberOf: (dataset: DatasetWithIncludes) => number): Comparison =>
  (a, b) =>
    numberOf(a) - numberOf(b)

// The API's timestamps have a uniform format, so they can be compared as strings.
const COMPARISONS: Record<SortKey, Comparison> = {
  activity: byText(dataset => dataset.last_activity_at),
  created: byText(dataset => dataset.inserted_at),
  name: byName,
  workspace: (a, b) => (a.workspace?.name ?? '').localeCompare(b.workspace?.name ?? '', undefined, { numeric: true }),
  records: byNumber(recordsOf),
  complete: byNumber(percentDone),
  pending: byNumber(pendingOf),
  responses: byNumber(dataset => dataset.distribution.min_submitted),
}

function comparison({ key, isDescending }: Sort): Comparison {
  const sign = isDescending ? -1 : 1
  return (a, b) => sign * COMPARISONS[key](a, b) || byName(a, b)
}

/** Parses the URL parameter `a,b`. A comma inside a name is percent-encoded a second time, except in links from other sources. */
export function readWorkspaces(text: string, known: readonly string[]): string[] {
  if (known.includes(text)) return [text]
  return text.split(',').flatMap(part => (part === '' ? [] : [known.includes(part) ? part : decode(part)]))
}

export const writeWorkspaces = (names: readonly string[]) =>
  names.map(name => name.replace(/[%,]/g, encodeURIComponent)).join(',')

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Percentage, rounded down: 100 only if no record is left. */
export function percentDone({ progress }: Pick<DatasetWithIncludes, 'progress'>): number {
  if (!progress || progress.total === 0) return 0
  return Math.floor((progress.completed / progress.total) * 100)
}
