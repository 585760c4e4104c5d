/** Builds what `npm start` runs: the web UI and the server, each when its sources have changed. */
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'

await buildWeb()
await buildServer()
