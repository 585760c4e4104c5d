/** The files of an exported dataset other than its records: dataset card and settings. Pure. */
import type { Dataset } from '@postil/domain/datasets'
import type { Field } from '@postil/domain/fields'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import type { VectorsSettings } from '@postil/domain/vectors'
import { stringify } from 'yaml'
import { isObject } from './hub-features.ts'
import { matches, readFrontMatter } from './sources.ts'

export interface Place {
  name: string
  subset: string
  split: string
}

/** `data` for the default subset, as in the hub's library. */
export const folderOf = ({ subset }: Place) => (subset === 'default' ? 'data' : subset)

export const shardPath = (place: Place, index: number, count: number) =>
  `${folderOf(place)}/${place.split}-${pad(index)}-of-${pad(count)}.parquet`

const pad = (number: number) => String(number).padStart(5, '0')

/** True for files of an earlier export of the same split. */
export const isShardOf = (path: string, place: Place) =>
  matches(path, `${folderOf(place)}/*`) &&
  new RegExp(`^${place.split.replaceAll('.', '\\.')}-\\d{5}-of-\\d{5}\\.parquet$`).test(nameOf(path))

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

interface ExportedSettings {
  fields: readonly Field[]
  questions: readonly Question[]
  metadataProperties: readonly MetadataProperty[]
  vectorsSettings: readonly VectorsSettings[]
}

/** Returns JSON content by path. Clients look for these file names. */
export function toSettingsFiles(dataset: Dataset, settings: ExportedSettings, version: string): Record<string, unknown> {
  const { guidelines, allow_extra_metadata, distribution } = dataset
  return {
    '.argilla/version.json': { argilla: version },
    '.argilla/dataset.json': dataset,
    '.argilla/settings.json': {
      guidelines,
      allow_extra_metadata,
      distribution,
      fields: settings.fields,
      questions: settings.questions.map(withoutNumber),
      metadata: settings.metadataProperties.map(withoutNumber),
      vectors: settings.vectorsSettings.map(withoutNumber),
    },
  }
}

/** Removes the number, which only the database uses. */
function withoutNumber<T extends object>(thing: T): Omit<T, 'no'> {
  const { no: _no, ...shown } = thing as T & { no?: number }
  return shown
}

const TAGS = ['rlfh', 'argilla', 'human-feedback']

/** Adds the location of the files to the README. Other content remains. */
export function toCard(readme: string | null, place: Place, dataset: Dataset, records: number): string {
  const matter = readFrontMatter(readme ?? '')
  const tags = Array.isArray(matter.tags) ? matter.tags : []
  const given = {
    ...matter,
    tags: [...new Set([...tags, ...TAGS])],
    configs: toConfigs(matter.configs, place),
  }
  // `dataset_info` describes the previous columns of the repository. The new files contain their own schema.
  delete (given as { dataset_info?: unknown }).dataset_info
  const text = readme === null ? toText(dataset, place, records) : textOf(readme)
  return `---\n${stringify(given)}---\n${text}`
}

const textOf = (readme: string) => readme.replace(/^\ufeff?---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(\r?\n|$)/, '')

function toConfigs(known: unknown, place: Place): unknown[] {
  const configs = Array.isArray(known) ? known.filter(isObject) : []
  const own = configs.find(({ config_name }) => config_name === place.subset)
  const files = [own?.data_files].flat().filter(isObject)
  const others = files.filter(({ split }) => split !== place.split)
  const entry = {
    ...own,
    config_name: place.subset,
    data_files: [...others, { split: place.split, path: `${folderOf(place)}/${place.split}-*` }],
  }
  return own ? configs.map(config => (config === own ? entry : config)) : [...configs, entry]
}

const toText = (dataset: Dataset, { name, subset, split }: Place, records: number) => `
# ${dataset.name}

${records} records with human feedback, exported from Postil.

\`\`\`python
from datasets import load_dataset

dataset = load_dataset("${name}", "${subset}", split="${split}")
\`\`\`

| column | content |
| --- | --- |
| \`id\`, \`status\`, \`inserted_at\`, \`updated_at\`, \`_server_id\` | the record: its external id, whether it is completed, its times, its id on the server |
| one for each field | the value of the field |
| \`{question}.responses\`, \`.users\`, \`.status\` | lists that belong together: the values, who gave them, and their status |
| \`{question}.suggestion\`, \`.agent\`, \`.score\` | the suggestion, who made it, and how sure they were |
| \`metadata.{name}\`, \`vector.{name}\` | metadata and vectors |

The settings of the dataset are in \`.argilla\`.
`
