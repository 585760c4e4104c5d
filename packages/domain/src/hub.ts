/** Imports from and exports to a dataset hub. */
import { COLUMN_KINDS } from './columns.ts'
import { invalid } from './errors.ts'
import { listed } from './message-values.ts'
import type { RecordRules } from './record-rules.ts'
import { AnyJson, Bool, Int, List, Nullable, NullByDefault, OneOf, Optional, Shape, type Static, Text } from './schema.ts'

/** Name of a repository, a subset, a split or a column. */
const HubName = Text(0, 500)

const MappingItem = Shape({ source: HubName, target: HubName })

const HubMapping = Shape({
  fields: List(MappingItem, { minItems: 1, maxItems: 1000 }),
  metadata: Optional(List(MappingItem, { maxItems: 1000 })),
  suggestions: Optional(List(MappingItem, { maxItems: 1000 })),
  external_id: NullByDefault(HubName),
})
export type HubMapping = Static<typeof HubMapping>

export const HubImport = Shape({ name: HubName, subset: HubName, split: HubName, mapping: HubMapping })
export type HubImport = Static<typeof HubImport>

const PlaceName = Nullable(Text(1, 500))

export const HubExport = Shape({
  name: Text(1, 500),
  subset: Optional(PlaceName),
  split: Optional(PlaceName),
  private: Optional(Nullable(Bool())),
  token: Text(1, 1000),
})
export type HubExport = Static<typeof HubExport>

/** The hub dataset to inspect. Defaults to the first subset and the first split. */
export const HubQuery = Shape({ name: Text(1, 500), subset: Optional(Text(1, 500)), split: Optional(Text(1, 500)) })
export type HubQuery = Static<typeof HubQuery>

/** Suggested use of a column, guessed from its first values. */
const HUB_TARGETS = ['field', 'metadata', 'suggestion', 'external_id', 'ignore'] as const
export type HubTarget = (typeof HUB_TARGETS)[number]

/** A column in the same form as in previews of uploaded files, with the class labels of the hub. */
const HubColumn = Shape({
  name: Text(),
  type: OneOf(COLUMN_KINDS),
  /** Dimensions of vectors. */
  dimensions: Nullable(Int()),
  /** Number of inspected rows without a value. */
  empty: Int(),
  /** The distinct values, if there are few; for a class label, its classes. */
  distinct: Nullable(List(Text())),
  /** True if `distinct` lists all possible values. */
  is_class: Bool(),
  suggestion: OneOf(HUB_TARGETS),
  examples: List(Text()),
})
export type HubColumn = Static<typeof HubColumn>

/** A dataset on the hub: its subsets, splits and columns, and the first rows of one split. */
export const HubDataset = Shape({
  name: Text(),
  url: Text(),
  subsets: List(Shape({ name: Text(), splits: List(Text()) })),
  subset: Text(),
  split: Text(),
  /** Rows of the split; null if some of its files were not opened. */
  rows_count: Nullable(Int()),
  /** Maximum number of rows that an import reads. */
  rows_max: Int(),
  columns: List(HubColumn),
  /** Values in the order of `columns`. Long values are shortened. */
  rows: List(List(AnyJson)),
  /** Parts that are not shown, with the reason. */
  problems: List(Text()),
})
export type HubDataset = Static<typeof HubDataset>

export const SUBSET_DEFAULT = 'default'
export const SPLIT_DEFAULT = 'train'

/** Maximum number of skipped records that are described. Further ones are only counted. */
export const SKIPPED_LISTED_MAX = 20

/** A row that could not be imported. Rows are numbered from 0, like external ids. */
const SkippedRow = Shape({ row: Int(), reason: Text() })
export type SkippedRow = Static<typeof SkippedRow>

/** Skipped rows of an import: the number, and the first ones with the reasons. */
export const SkippedRows = Shape({ count: Int(), rows: List(SkippedRow) })
export type SkippedRows = Static<typeof SkippedRows>

/** Repository names: letters, digits, `-`, `_` and `.`, optionally with an owner and a slash in front. */
const REPOSITORY = /^(?:[\w-][\w.-]{0,95}\/)?[\w-][\w.-]{0,95}$/

export function checkRepository(name: string): void {
  const isName = REPOSITORY.test(name) && !name.includes('..') && !name.includes('--')
  if (!isName) throw invalid('A repository is named `owner/name`: letters, digits, `-`, `_` and `.`', ['name'])
}

/** Subset names become parts of paths and file names in the repository. */
const SUBSET_NAME = /^(?!\.)[^\0-\x1f\x7f/\\<>:|?*"[\]{}%#]+$/

export function checkSubsetOrSplit(value: string, key: 'subset' | 'split'): void {
  if (key === 'split' && !/^\w+(\.\w+)*$/.test(value)) {
    throw invalid('A split is named with letters, digits, `_` and `.`', [key])
  }
  if (!SUBSET_NAME.test(value))
    throw invalid('A subset is named without `/` and other characters that mean something in a path', [key])
}

/** Throws unless every target exists and is used once. Otherwise the import would silently drop data. */
export function checkMapping(mapping: HubMapping, rules: RecordRules): void {
  checkMappingTargets(mapping.fields, { key: 'fields', noun: 'field', known: rules.fields })
  checkMappingTargets(mapping.suggestions ?? [], { key: 'suggestions', noun: 'question', known: rules.questions })
  checkMappingTargets(mapping.metadata ?? [], { key: 'metadata', noun: 'metadata property', known: rules.metadata })
}

interface MappingTargets {
  /** Key in the mapping. */
  key: string
  /** Name of the target's type, for messages. */
  noun: string
  known: ReadonlyMap<string, unknown>
}

export function checkMappingTargets(
  items: readonly { source?: string; target: string }[],
  { key, noun, known }: MappingTargets,
): void {
  const seen = new Set<string>()
  for (const [index, { source, target }] of items.entries()) {
    const at = ['mapping', key, index]
    if (source === '') throw invalid('The name of a column is missing', [...at, 'source'])
    if (!known.has(target)) {
      const names = known.size === 0 ? `The dataset has no ${noun}` : `Expected one of: ${listed([...known.keys()])}`
      throw invalid(`\`${target}\` is not a ${noun} of this dataset. ${names}`, [...at, 'target'])
    }
    if (seen.has(target)) throw invalid(`\`${target}\` is the target of more than one column`, [...at, 'target'])
    seen.add(target)
  }
}
