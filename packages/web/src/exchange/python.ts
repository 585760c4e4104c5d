/** Python programs for one dataset: how to add records, and how to take the result out. */
import { MASK, pythonSnippet } from '../datasets/python-snippet.ts'

const quoted = (text: string) => JSON.stringify(text)

export interface Place {
  serverUrl: string
  workspace: string
  dataset: string
}

const open = ({ serverUrl, workspace, dataset }: Place) =>
  `${pythonSnippet(serverUrl, MASK)}
dataset = client.datasets(${quoted(dataset)}, workspace=${quoted(workspace)})`

/** One record with every field, to be filled in. */
export const addingSnippet = (place: Place, fields: readonly string[]) => `${open(place)}
dataset.records.log([
  {${fields.map(name => ` ${quoted(name)}: …`).join(',')} },
])`

export const exportingSnippet = (place: Place) => `${open(place)}
dataset.records(with_responses=True).to_json("records.json")`
