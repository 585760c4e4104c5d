import { SERVER_URL } from '../../../server-address.ts'

/** The token is in the URL fragment, which browsers do not send, so that no server or proxy logs it. */
export const toInvitationLink = (token: string): string => `${location.origin}${SERVER_URL}/invitation#${token}`
