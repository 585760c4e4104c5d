/** Builds what `npm start` needs: the web UI, the server and the command line, each if its sources have changed. */
import { buildCli } from './build-cli.ts'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'

await buildWeb()
await buildServer()
await buildCli()
