/** How the main thread, which does not write, has collected sign-ins written. */
import type { AuditEntry } from '@postil/domain/audit-log'
import { storeAuditEntries } from '../features/audit-log/writes.ts'
import type { Dispatch } from './app.ts'
import { type Call, continueCall, toInnerCall } from './call.ts'

/** Nobody waits for it: it takes turns with bulk writes as a caller of its own. */
const OWN_CALL: Call = {
  routeId: '',
  params: {},
  search: '',
  contentType: null,
  body: null,
  actor: null,
  refusal: null,
  requestId: 'sign-ins',
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
}

export const openStoreSignIns = (dispatch: Dispatch) => async (entries: AuditEntry[]) => {
  const { status } = await dispatch(storeAuditEntries, continueCall(OWN_CALL, toInnerCall(storeAuditEntries, { entries })))
  if (status !== storeAuditEntries.status) throw new Error(`the writer answered ${status}`)
}
