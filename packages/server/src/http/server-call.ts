/** A call that the server itself makes, without a request. The scheduler treats the server as a separate caller. */
import type { Call } from './call.ts'

export const toServerCall = (requestId: string): Call => ({
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
