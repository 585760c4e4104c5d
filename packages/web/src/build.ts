/** Detects whether the server has a different build of the web UI than this page. */
import { ref } from 'vue'
import { BASE_PATH } from './server-address.ts'

const ANSWER_MS = 5_000

/** Id of the server's build if it differs from the build of this page. */
export const newBuild = ref<string | null>(null)

/** Build id that `build-listing.ts` writes into the page. */
const ownBuild = () => document.querySelector<HTMLMetaElement>('meta[name=build]')?.content

/** Asks the server for its build id. The response is a 304 without a body if the id has not changed. */
export async function checkBuild(): Promise<'same' | 'new' | 'unreachable'> {
  const found = await findServerBuild()
  if (found === null) return 'unreachable'
  newBuild.value = found === ownBuild() ? null : found
  return newBuild.value === null ? 'same' : 'new'
}

/** Returns null if the server cannot be reached, or if something else, such as a proxy, responds instead. */
async function findServerBuild(): Promise<string | null> {
  try {
    const answer = await fetch(`${BASE_PATH}build.json`, { cache: 'no-cache', signal: AbortSignal.timeout(ANSWER_MS) })
    if (!answer.ok) return null
    const { id } = (await answer.json()) as { id?: unknown }
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
