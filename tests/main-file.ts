/** The server as `npm start` runs it, built when its sources have changed. */
import { buildServer } from '../scripts/build-server.ts'

export const MAIN = await buildServer()
