/** Which build of the web UI this page runs, and whether the server has another one. */
import { ref } from 'vue'
import { BASE_PATH } from './server-address.ts'

const ANSWER_MS = 5_000

/** Id of the build that the server has, if it is not the one that this page runs. */
export const newBuild = ref<string | null>(null)

/** Written into the page when it was built (`build-listing.ts`). */
const ownBuild = () => document.querySelector<HTMLMetaElement>('meta[name=build]')?.content

/** Asks the server which build it has. The answer is a 304 without a body as long as it has not changed. */
export async function checkBuild(): Promise<'same' | 'new' | 'unreachable'> {
  const found = await findServerBuild()
  if (found === null) return 'unreachable'
  newBuild.value = found === ownBuild() ? null : found
  return newBuild.value === null ? 'same' : 'new'
}

/** Null without a network, without a server, and if something else answers in its place. */
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
