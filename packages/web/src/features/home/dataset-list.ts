/** Which datasets are listed and in what order: by workspace, by name, sorted. Pure, so that the page only shows. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'

export const SORT_KEYS = ['activity', 'created', 'name'] as const
export type SortKey = (typeof SORT_KEYS)[number]

export interface Sort {
  key: SortKey
  isDescending: boolean
}

export const SORT_DEFAULT: Sort = { key: 'activity', isDescending: true }

export const writeSort = ({ key, isDescending }: Sort) => `${key}.${isDescending ? 'desc' : 'asc'}`

/** What was kept may be of another version: the default then. */
export function readSort(text: string): Sort {
  const [name, direction] = text.split('.')
  const key = SORT_KEYS.find(known => known === name)
  return key === undefined ? SORT_DEFAULT : { key, isDescending: direction === 'desc' }
}

/** Dates fall first, names rise first. */
export const SORTS: readonly Sort[] = SORT_KEYS.flatMap(key =>
  [key !== 'name', key === 'name'].map(isDescending => ({ key, isDescending })),
)

export interface WorkspaceCount {
  name: string
  count: number
}

/** The workspaces that the datasets are in, by name. */
export function listWorkspaces(datasets: readonly DatasetWithIncludes[]): WorkspaceCount[] {
  const groups = Map.groupBy(datasets, ({ workspace }) => workspace?.name ?? '')
  return [...groups].map(([name, { length }]) => ({ name, count: length })).sort((a, b) => a.name.localeCompare(b.name))
}

export interface Wanted {
  /** Names; none: all. */
  workspaces: readonly string[]
  search: string
  sort: Sort
}

export function selectDatasets(
  datasets: readonly DatasetWithIncludes[],
  { workspaces, search, sort }: Wanted,
): DatasetWithIncludes[] {
  const words = fold(search.trim())
  return datasets
    .filter(({ workspace }) => workspaces.length === 0 || workspaces.includes(workspace?.name ?? ''))
    .filter(({ name }) => fold(name).includes(words))
    .sort(comparison(sort))
}

/** Full-width letters and composed accents are the same letters to whoever types. */
const fold = (text: string) => text.normalize('NFKC').toLocaleLowerCase()

type Comparison = (a: DatasetWithIncludes, b: DatasetWithIncludes) => number

const byName: Comparison = (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })
const byText =
  (textOf: (dataset: DatasetWithIncludes) => string): Comparison =>
  (a, b) =>
    textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b))

// Times of the API are of one form, so that their texts sort as they do.
const COMPARISONS: Record<SortKey, Comparison> = {
  activity: byText(dataset => dataset.last_activity_at),
  created: byText(dataset => dataset.inserted_at),
  name: byName,
}

function comparison({ key, isDescending }: Sort): Comparison {
  const sign = isDescending ? -1 : 1
  return (a, b) => sign * COMPARISONS[key](a, b) || byName(a, b)
}

/** Of the address: `a,b`. A comma inside a name is percent-encoded once more; links from elsewhere did not do that. */
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

/** Whole percent; 100 only when nothing is left. */
export function percentDone({ progress }: Pick<DatasetWithIncludes, 'progress'>): number {
  if (!progress || progress.total === 0) return 0
  return Math.floor((progress.completed / progress.total) * 100)
}
