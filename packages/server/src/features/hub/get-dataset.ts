/** Previews a dataset on the hub, in the hub thread, while a request waits. Limited in time and bytes. */
import { allow, DomainError, invalid } from '@postil/domain/errors'
import { checkRepository, type HubColumn, type HubDataset, type HubQuery } from '@postil/domain/hub'
import { canReadHub } from '@postil/domain/permissions'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { sizeOf, toJson } from './convert.ts'
import { describeColumn } from './describe-columns.ts'
import { HubRefusal, HubUnavailable } from './failures.ts'
import { createHubClient, type HubClient } from './hub-client.ts'
import { type Peek, peek } from './peek.ts'
import { listPlaces, type Places, type Subset } from './places.ts'
import { readMetadata } from './read-footer.ts'
import { openParquetFile, type ParquetFile } from './read-parquet.ts'
import type { SplitFiles } from './sources.ts'

const LOOK_MS_MAX = 25_000
/** Number of rows read, and number of rows shown. */
const ROWS_READ = 100
const ROWS_SHOWN = 20
const COLUMNS_MAX = 500
/** Limit of one value. */
const VALUE_LENGTH_MAX = 10_000
/** Larger images are not shown. */
const IMAGE_LENGTH_MAX = 400_000
/** Limit of all values together. */
const SHOWN_LENGTH_MAX = 4_000_000
/** Limit of the values that are converted. A column can repeat a large value in each row. */
const CONVERTED_LENGTH_MAX = 256_000_000
/** Limit of files opened to count rows. */
const COUNTED_FILES_MAX = 8

export async function getHubDataset(ctx: RequestContext, query: HubQuery): Promise<HubDataset> {
  allow(canReadHub(ctx.actor))
  checkRepository(query.name)
  const { hubUrl, hubToken, hubImportRowsMax } = ctx.config
  const signal = AbortSignal.timeout(LOOK_MS_MAX)
  const hub = createHubClient({ hubUrl, token: hubToken, signal })
  try {
    const places = await listPlaces(hub, query.name)
    const place = choosePlace(places, query)
    const shown = await readSplit(hub, query.name, place.files)
    const { name } = query
    const { subset, split } = place
    return {
      name,
      url: `${hubUrl}/datasets/${name}`,
      subsets: places.subsets,
      subset,
      split,
      rows_max: hubImportRowsMax,
      ...shown,
    }
  } catch (error) {
    throw toAnswer(error, signal)
  }
}

/** A refusal means that the request is invalid; other failures may be temporary. */
function toAnswer(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof HubRefusal) return invalid(error.message)
  if (!(error instanceof HubUnavailable)) return error
  const words = signal.aborted ? `The hub did not answer within ${LOOK_MS_MAX / 1_000} seconds` : error.message
  return new DomainError('unavailable', `${words.replace(/\.$/, '')}. Try again later`)
}

interface Place {
  subset: string
  split: string
  files: SplitFiles
}

function choosePlace({ subsets, filesOf }: Places, query: HubQuery): Place {
  const named = (subset: Subset) => `\`${subset.name}\``
  const subset =
    subsets.find(({ name }) => name === (query.subset ?? 'default')) ?? (query.subset === undefined ? subsets[0] : undefined)
  if (!subset)
    throw new HubRefusal(
      `\`${query.name}\` has no subset \`${query.subset}\`. Subsets: ${subsets.slice(0, 20).map(named).join(', ')}`,
    )
  const split = query.split ?? subset.splits[0] ?? ''
  const files = filesOf(subset.name, split)
  if (files) return { subset: subset.name, split, files }
  const splits = subset.splits.slice(0, 20).map(each => `\`${each}\``)
  throw new HubRefusal(`Subset ${named(subset)} of \`${query.name}\` has no split \`${split}\`. Splits: ${splits.join(', ')}`)
}

type Shown = Pick<HubDataset, 'columns' | 'rows' | 'rows_count' | 'problems'>

async function readSplit(hub: HubClient, name: string, { revision, paths }: SplitFiles): Promise<Shown> {
  const [path = ''] = paths
  const buffer = await hub.openFile(name, revision, path)
  const metadata = await readMetadata(buffer, path)
  const file = await openParquetFile(buffer, path)
  const peeked = await peek({ file: buffer, metadata, path, rowsMax: ROWS_READ })
  return { ...show(file, peeked), rows_count: await countRows(hub, name, { revision, paths }, file) }
}

/** Null if there are many files, because opening each takes a request. */
async function countRows(
  hub: HubClient,
  name: string,
  { revision, paths }: SplitFiles,
  first: ParquetFile,
): Promise<number | null> {
  if (paths.length > COUNTED_FILES_MAX) return null
  let count = first.rows
  for (const path of paths.slice(1)) count += (await openParquetFile(await hub.openFile(name, revision, path), path)).rows
  return count
}

function show(file: ParquetFile, { rows, tooLarge }: Peek): Omit<Shown, 'rows_count'> {
  const problems = Array.from(
    tooLarge,
    ([name, bytes]) =>
      `Column \`${name}\` is not shown: its first rows have ${Math.ceil(bytes / 1024 ** 2)} MiB. It can be imported.`,
  )
  const shown = file.columns.slice(0, COLUMNS_MAX)
  if (shown.length < file.columns.length)
    problems.push(`Only the first ${COLUMNS_MAX} of ${file.columns.length} columns are shown`)
  const columns: HubColumn[] = []
  const values: Json[][] = []
  let room = CONVERTED_LENGTH_MAX
  for (const name of shown) {
    const feature = file.features[name]
    const read = rows.map(row => {
      const size = sizeOf(row[name], room)
      if (size > room) return null
      room -= size
      return readValue(row[name], feature, name)
    })
    columns.push(describeColumn(name, read, feature))
    values.push(read.slice(0, ROWS_SHOWN))
  }
  let left = SHOWN_LENGTH_MAX
  const take = (value: Json): Json => {
    const cut = left > 0 ? cutValue(value) : null
    left -= JSON.stringify(cut).length
    return cut
  }
  return {
    columns,
    rows: rows.slice(0, ROWS_SHOWN).map((_, index) => values.map(column => take(column[index] ?? null))),
    problems,
  }
}

/** Values that an import would skip are shown as null. */
function readValue(value: unknown, feature: Parameters<typeof toJson>[1], name: string): Json {
  try {
    return toJson(value, feature, name)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

function cutValue(value: Json): Json {
  if (typeof value === 'string') {
    if (value.startsWith('data:')) return value.length > IMAGE_LENGTH_MAX ? null : value
    return value.length > VALUE_LENGTH_MAX ? `${value.slice(0, VALUE_LENGTH_MAX)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : value
}
