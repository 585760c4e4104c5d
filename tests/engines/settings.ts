/**
 * Search engine of servers under test. With `POSTIL_TEST_ENGINE=opensearch` or `elasticsearch` they use the one at
 * `POSTIL_TEST_ENGINE_URL`. Index names contain the home folder, because servers share an engine and a server restarted on a
 * folder must find its indexes.
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

/** Returns the settings of a server; empty for the embedded index. */
export function engineSettingsOf(home: string): Record<string, string> {
  if (NAME === 'embedded') return {}
  return {
    SERVICE_SEARCH_ENGINE: NAME,
    SERVICE_ELASTICSEARCH: engineUrl(),
    SERVICE_ES_INDEX_PREFIX: prefixOf(home),
    // Test searches wait long enough for a busy machine.
    SERVICE_SEARCH_WAIT_SECONDS: '60',
  }
}

/** Maximum number of names in one request: engines accept a request line of up to 4096 characters, and a name has about 75. */
const NAMES_MAX = 40

/** Deletes the indexes of a server, so that the engine does not fill up during a run. */
export async function dropIndexes(home: string): Promise<void> {
  if (NAME === 'embedded') return
  const found = await send('GET', `_cat/indices/${prefixOf(home)}*?h=index&format=json&expand_wildcards=all`)
  const names: string[] = JSON.parse(found).map(({ index }: { index: string }) => index)
  while (names.length > 0) await send('DELETE', `${names.splice(0, NAMES_MAX).join(',')}?ignore_unavailable=true`)
}

async function send(method: string, path: string): Promise<string> {
  const answer = await fetch(`${engineUrl()}/${path}`, { method })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} -> ${answer.status} ${text.slice(0, 500)}`)
  return text
}
