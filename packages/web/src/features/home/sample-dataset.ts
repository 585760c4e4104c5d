/** Creates the sample dataset through the public API. The server has no special code for it. */
import { type Client, createDatasetWithSettings } from '@postil/client'
import type { Letter } from './sample/letter.ts'
import { LETTERS_ENGLISH } from './sample/letters-english.ts'
import { LETTERS_ENGLISH_MORE } from './sample/letters-english-more.ts'
import { LETTERS_GERMAN } from './sample/letters-german.ts'
import { LETTERS_ROMANCE } from './sample/letters-romance.ts'
import { LETTERS_WORLD } from './sample/letters-world.ts'
import { SAMPLE_SETTINGS } from './sample/settings.ts'
import { type QuestionName, toRecord } from './sample/to-record.ts'

export const SAMPLE_NAME = 'sample'
export const SAMPLE_LETTERS: readonly Letter[] = [
  ...LETTERS_ENGLISH,
  ...LETTERS_GERMAN,
  ...LETTERS_ROMANCE,
  ...LETTERS_ENGLISH_MORE,
  ...LETTERS_WORLD,
]

export interface SampleProgress {
  done: number
  total: number
  records: number
  recordsTotal: number
}

export interface SampleOptions {
  /** Defaults to the user's first workspace; if there is none, a workspace is created. */
  workspaceId?: string | null
  onProgress?: (progress: SampleProgress) => void
}

/** Records per request: small, so that the progress bar moves. */
const BATCH = 10
/** Share of the progress bar for the settings, which take about as long as two batches. */
const SETTINGS_SHARE = 2 * BATCH

/** Returns the id of the new dataset. If a step fails, the dataset is deleted again. */
export async function createSampleDataset(client: Client, options: SampleOptions = {}): Promise<string> {
  const { workspaceId, onProgress } = options
  const tell = (records: number, settings: number) =>
    onProgress?.({
      done: settings + records,
      total: SETTINGS_SHARE + SAMPLE_LETTERS.length,
      records,
      recordsTotal: SAMPLE_LETTERS.length,
    })
  tell(0, 0)
  const workspace = workspaceId ?? (await findOrCreateWorkspace(client))
  const { items } = await client.listMyDatasets({ query: { workspace_id: workspace } })
  const name = freeSampleName(items.map(dataset => dataset.name))
  const { dataset, questions } = await createDatasetWithSettings(client, { ...SAMPLE_SETTINGS, name, workspace })
  tell(0, SETTINGS_SHARE)
  const params = { dataset_id: dataset.id }
  const ids = Object.fromEntries(questions.map(question => [question.name, question.id])) as Record<QuestionName, string>
  const records = SAMPLE_LETTERS.map((letter, i) => toRecord(letter, i + 1, ids))
  try {
    for (let at = 0; at < records.length; at += BATCH) {
      await client.createRecordsBulk({ params, body: { items: records.slice(at, at + BATCH) } })
      tell(Math.min(at + BATCH, records.length), SETTINGS_SHARE)
    }
  } catch (error) {
    // Ignores errors of the deletion, so that the user sees the original error.
    await client.deleteDataset({ params }).catch(() => {})
    throw error
  }
  return dataset.id
}

async function findOrCreateWorkspace(client: Client): Promise<string> {
  const { items } = await client.listMyWorkspaces()
  return items[0]?.id ?? (await client.createWorkspace({ body: { name: SAMPLE_NAME } })).id
}

/** Returns the first unused name of `sample`, `sample-2`, `sample-3` … */
export function freeSampleName(taken: readonly string[]): string {
  if (!taken.includes(SAMPLE_NAME)) return SAMPLE_NAME
  let number = 2
  while (taken.includes(`${SAMPLE_NAME}-${number}`)) number++
  return `${SAMPLE_NAME}-${number}`
}
