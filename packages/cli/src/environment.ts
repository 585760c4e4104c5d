/** Settings of the command line. Only this file of the package reads environment variables. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** An empty variable counts as unset. */
const read = (name: string): string | null => process.env[`SERVICE_${name}`] || process.env[`ARGILLA_${name}`] || null

export const readApiUrl = () => read('API_URL')
export const readApiKey = () => read('API_KEY')
export const readWorkspace = () => read('WORKSPACE')

/** The variable that Hugging Face's own tools use. */
export const readHubToken = () => process.env.HF_TOKEN || null

/** Folder of the stored credentials. */
export const readCacheFolder = () => resolve(read('CACHE_DIR') ?? join(homedir(), '.cache', 'postil'))

/** True if the terminal of this stream supports colours. */
export function showsColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}
