/**
 * Removes the schemas from the API contracts in the browser build. The server validates requests, so the browser only needs what
 * a call requires; the schemas would be a tenth of the script.
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
  // Only their presence matters: it decides how a request is sent and how the response is read.
  body: body && {},
  response: response && {},
})
