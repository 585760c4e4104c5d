/** Python programs for one dataset: adding records and exporting the result. */
import { MASK, pythonSnippet } from '../datasets/python-snippet.ts'

const quoted = (text: string) => JSON.stringify(text)

export interface DatasetLocation {
  serverUrl: string
  workspace: string
  dataset: string
}

const connectSnippet = ({ serverUrl, workspace, dataset }: DatasetLocation) =>
  `${pythonSnippet(serverUrl, MASK)}
dataset = client.datasets(${quoted(dataset)}, workspace=${quoted(workspace)})`

/** Adds one record with placeholders for all fields. */
export const addRecordsSnippet = (place: DatasetLocation, fields: readonly string[]) => `${connectSnippet(place)}
dataset.records.log([
  {${fields.map(name => ` ${quoted(name)}: …`).join(',')} },
])`

export const exportSnippet = (place: DatasetLocation) => `${connectSnippet(place)}
dataset.records(with_responses=True).to_json("records.json")`

export interface RemainingRows {
  name: string
  subset: string
  split: string
  /** Index of the first row that was not imported. */
  from: number
  /** Column -> target, in the syntax of the Python client. */
  mapping: Readonly<Record<string, string>>
}

/** Adds the rows of a split that an import did not include. */
export const remainingRowsSnippet = (
  place: DatasetLocation,
  { name, subset, split, from, mapping }: RemainingRows,
) => `${connectSnippet(place)}

from datasets import load_dataset

rows = load_dataset(${quoted(name)}, ${quoted(subset)}, split=${quoted(`${split}[${from}:]`)})
dataset.records.log(rows, mapping={
${Object.entries(mapping)
  .map(([column, target]) => `  ${quoted(column)}: ${quoted(target)},`)
  .join('\n')}
})`
