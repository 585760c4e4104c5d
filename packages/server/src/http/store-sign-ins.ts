/** Sends the collected sign-ins of the main thread, which does not write, to the writer. */
import type { AuditEntry } from '@postil/domain/audit-log'
import { storeAuditEntries } from '../features/audit-log/writes.ts'
import type { Dispatch } from './app.ts'
import { continueCall, toInnerCall } from './call.ts'
import { toServerCall } from './server-call.ts'

const SERVER_CALL = toServerCall('sign-ins')

export const createStoreSignIns = (dispatch: Dispatch) => async (entries: AuditEntry[]) => {
  const { status } = await dispatch(storeAuditEntries, continueCall(SERVER_CALL, toInnerCall(storeAuditEntries, { entries })))
  if (status !== storeAuditEntries.status) throw new Error(`the writer answered ${status}`)
}
