/** A call that the server makes itself, without a request: it takes turns with others as a caller of its own. */
import type { Call } from './call.ts'

export const toOwnCall = (requestId: string): Call => ({
  routeId: '',
  params: {},
  search: '',
  contentType: null,
  body: null,
  actor: null,
  refusal: null,
  requestId,
  sender: {
    address: 'server',
    userAgent: null,
    isSecure: true,
    isForeign: false,
    sessionHash: null,
    deviceProof: null,
    host: null,
    isPage: false,
    signIns: [],
  },
})
