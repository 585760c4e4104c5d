/**
 * A page calls the server, it does not check what the server checks: of each contract the build keeps what a call needs, and
 * leaves out the schemas, which would be a tenth of the script.
 */
import { fileURLToPath } from 'node:url'
import { listContracts } from '@postil/client/contracts'
import type { Plugin } from 'vite'

const MODULE = fileURLToPath(import.meta.resolve('@postil/client/contracts'))

const KEPT = ['id', 'method', 'path', 'auth', 'status', 'otherStatuses', 'bodyType', 'responseType'] as const

export function leanContracts(): Plugin {
  return {
    name: 'lean-contracts',
    apply: 'build',
    load(id) {
      return id === MODULE ? `export const listContracts = () => ${JSON.stringify(listContracts().map(toLean))}` : null
    },
  }
}

const toLean = ({ body, response, ...route }: ReturnType<typeof listContracts>[number]) => ({
  ...Object.fromEntries(KEPT.map(key => [key, route[key]])),
  // Whether there is one decides how a call is sent and its answer is read.
  body: body && {},
  response: response && {},
})
