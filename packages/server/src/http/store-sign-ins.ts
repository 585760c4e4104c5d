/** How the main thread, which does not write, has collected sign-ins written. */
import type { AuditEntry } from '@postil/domain/audit-log'
import { storeAuditEntries } from '../features/audit-log/writes.ts'
import type { Dispatch } from './app.ts'
import { continueCall, toInnerCall } from './call.ts'
import { toOwnCall } from './own-call.ts'

const OWN_CALL = toOwnCall('sign-ins')

export const openStoreSignIns = (dispatch: Dispatch) => async (entries: AuditEntry[]) => {
  const { status } = await dispatch(storeAuditEntries, continueCall(OWN_CALL, toInnerCall(storeAuditEntries, { entries })))
  if (status !== storeAuditEntries.status) throw new Error(`the writer answered ${status}`)
}
