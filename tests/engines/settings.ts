/**
 * Search engine of servers under test. With `POSTIL_TEST_ENGINE=opensearch` or `elasticsearch` they use the one at `POSTIL_TEST_ENGINE_URL`,
 * with indexes named after their home folder: servers share an engine, and one that is started again on a folder finds its indexes.
 */
import { createHash } from 'node:crypto'
import { ENGINES } from './build.ts'

const NAME = process.env.POSTIL_TEST_ENGINE || 'embedded'

const prefixOf = (home: string) => `test-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`

function engineUrl(): string {
  if (!(NAME in ENGINES)) throw new Error(`POSTIL_TEST_ENGINE=${NAME}: embedded, ${Object.keys(ENGINES).join(' or ')}`)
  const url = process.env.POSTIL_TEST_ENGINE_URL
  if (!url) throw new Error(`POSTIL_TEST_ENGINE=${NAME} needs POSTIL_TEST_ENGINE_URL: node tests/engines/run.ts ${NAME}`)
  return url
}

/** Settings of a server; none for the embedded index. */
export function engineSettingsOf(home: string): Record<string, string> {
  if (NAME === 'embedded') return {}
  return {
    SERVICE_SEARCH_ENGINE: NAME,
    SERVICE_ELASTICSEARCH: engineUrl(),
    SERVICE_ES_INDEX_PREFIX: prefixOf(home),
    // A search of a test waits as long as a busy machine needs.
    SERVICE_SEARCH_WAIT_SECONDS: '60',
  }
}

/** Removes the indexes of a server, so that the engine does not fill up during a run. */
export async function dropIndexes(home: string): Promise<void> {
  if (NAME === 'embedded') return
  const found = await send('GET', `_cat/indices/${prefixOf(home)}*?h=index&format=json&expand_wildcards=all`)
  const names: string[] = JSON.parse(found).map(({ index }: { index: string }) => index)
  if (names.length > 0) await send('DELETE', `${names.join(',')}?ignore_unavailable=true`)
}

async function send(method: string, path: string): Promise<string> {
  const answer = await fetch(`${engineUrl()}/${path}`, { method })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} -> ${answer.status} ${text.slice(0, 500)}`)
  return text
}
