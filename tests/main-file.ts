/** The server that `npm start` runs, rebuilt if its sources have changed. */
import { buildServer } from '../scripts/build-server.ts'

export const MAIN = await buildServer()
