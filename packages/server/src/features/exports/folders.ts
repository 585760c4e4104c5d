/** Exports of folders as zip archives: one for `datasets.load_dataset`, one for `rg.Dataset.from_disk`. */
import { ownProperty } from '@postil/domain/own-property'
import { ByteWriter } from 'hyparquet-writer'
import { API_VERSION } from '../../version.ts'
import { toDataset } from '../datasets/store.ts'
import { toSettingsFiles } from '../hub/card.ts'
import type { ExportColumn, ExportedRecord } from './columns.ts'
import { createParquetWriter, listTypedColumns } from './parquet.ts'
import { ALL_RELATIONS, type ExportSource, neededBy, readPages, toRows } from './read-records.ts'
import { toZip, type ZipEntry } from './zip.ts'

/** A Parquet file that reaches this size is closed, and the next one begins. */
const SHARD_BYTES_MAX = 256 * 1024 * 1024

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const listSettings = ({ dataset, settings }: ExportSource): ZipEntry[] =>
  Object.entries(toSettingsFiles(toDataset(dataset), settings, API_VERSION)).map(([path, content]) => ({
    path,
    content: once(`${JSON.stringify(content, null, 2)}\n`),
  }))

export function writeFolder(source: ExportSource): AsyncGenerator<Uint8Array> {
  return toZip(listFolder(source))
}

async function* listFolder(source: ExportSource): AsyncGenerator<ZipEntry> {
  const columns = await listTypedColumns(source)
  yield { path: 'README.md', content: once(toReadme(source, columns)) }
  yield* listSettings(source)
  const pages = readPages(source, neededBy(columns))
  let next = await pages.next()
  let count = 0
  // Writes at least one file, because an empty folder cannot be loaded.
  do {
    const path = `data/train-${String(count++).padStart(5, '0')}.parquet`
    yield { path, content: writeShard() }
  } while (!next.done)

  /** Continues where the previous file ended. */
  async function* writeShard(): AsyncGenerator<Uint8Array> {
    const writer = new ByteWriter()
    const parquet = createParquetWriter(writer, columns)
    while (!next.done && parquet.bytes() < SHARD_BYTES_MAX) {
      parquet.add(toRows(next.value, source.order))
      if (writer.index > 0) yield takeBytes(writer)
      next = await pages.next()
    }
    parquet.end()
    yield takeBytes(writer)
  }
}

/** Returns the bytes written since the last call. Offsets continue to grow. */
export function takeBytes(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

/** The front matter says where the files are. */
const toReadme = ({ dataset }: ExportSource, columns: readonly ExportColumn[]) => `---
configs:
  - config_name: default
    data_files:
      - split: train
        path: data/train-*
---

# ${dataset.name}

Exported from Postil. In Python, with the folder that this file is in:

\`\`\`python
from datasets import load_dataset

dataset = load_dataset("path/to/folder", split="train")
\`\`\`

Columns:

${columns.map(({ name }) => `- \`${name.replaceAll('`', '')}\``).join('\n')}

The settings of the dataset are in \`.argilla\`.
`

export function writeDisk(source: ExportSource): AsyncGenerator<Uint8Array> {
  return toZip([...listSettings(source), { path: 'records.json', content: writeRecords(source) }])
}

async function* writeRecords(source: ExportSource): AsyncGenerator<Uint8Array> {
  const toJson = createDiskRecordMapper(source)
  let before = '['
  for await (const records of readPages(source, ALL_RELATIONS)) {
    if (records.length === 0) continue
    yield Buffer.from(before + records.map(record => JSON.stringify(toJson(record))).join(',\n'))
    before = ',\n'
  }
  yield Buffer.from(before === '[' ? '[]\n' : ']\n')
}

/** Converts a record to the format of the SDK's `to_disk`, which cannot store responses without answers. */
function createDiskRecordMapper({ settings }: ExportSource) {
  const { questions, vectorsSettings } = settings
  return ({ row, fields, metadata, responses, suggestions, vectors }: ExportedRecord) => ({
    id: row.external_id ?? row.id,
    fields,
    metadata,
    suggestions: Object.fromEntries(
      questions.flatMap(({ no, name }) => {
        const suggestion = suggestions.get(no)
        return suggestion ? [[name, suggestion] as const] : []
      }),
    ),
    responses: Object.fromEntries(
      questions.flatMap(({ name }) => {
        const answers = responses.flatMap(({ values, user_id, status }) => {
          const answer = ownProperty(values, name)
          return answer ? [{ value: answer.value, user_id, status }] : []
        })
        return answers.length === 0 ? [] : [[name, answers] as const]
      }),
    ),
    vectors: Object.fromEntries(
      vectorsSettings.flatMap(({ no, name }) => (vectors.has(no) ? [[name, vectors.get(no)] as const] : [])),
    ),
    status: row.status,
    // Omits the server id, because the target dataset may be on another server or a copy on this one.
    _server_id: null,
  })
}
