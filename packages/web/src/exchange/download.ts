/** All records of a dataset with answers and suggestions, one JSON object a line, as a file. */
import type { Api } from '../api.ts'

const PAGE = 500

/** The pieces of the file as they come; `onProgress` is told how many records there are so far, of how many. */
export async function collectLines(
  api: Api,
  datasetId: string,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const parts: string[] = []
  for (let done = 0; ; ) {
    const query = { offset: done, limit: PAGE, include: ['responses', 'suggestions'] }
    const { items, total } = await api.listRecords({ params: { dataset_id: datasetId }, query }, { signal })
    if (items.length === 0) return parts
    parts.push(items.map(record => `${JSON.stringify(record)}\n`).join(''))
    done += items.length
    onProgress(Math.min(done, total), total)
  }
}

export function saveFile(parts: string[], name: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/jsonl' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
