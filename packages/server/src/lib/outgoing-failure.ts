/** Explains why an outgoing request failed, in a sentence for the person who entered the URL. */

const CERTIFICATE = 'The certificate of the server is not valid'

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['EAI_AGAIN', 'The host name could not be resolved at the moment.'],
  ['ECONNREFUSED', 'The server refused the connection.'],
  ['ECONNRESET', 'The server closed the connection before it answered.'],
  ['EPIPE', 'The server closed the connection before it answered.'],
  ['ETIMEDOUT', 'The server did not accept the connection.'],
  ['EHOSTUNREACH', 'The server cannot be reached.'],
  ['ENETUNREACH', 'The network of the server cannot be reached.'],
  ['HPE_HEADER_OVERFLOW', 'The headers of the answer are too large.'],
  ['EPROTO', 'The TLS connection failed. Does the server speak TLS on this port?'],
  ['CERT_HAS_EXPIRED', `${CERTIFICATE}: it has expired.`],
  ['CERT_NOT_YET_VALID', `${CERTIFICATE}: it is not valid yet.`],
  ['ERR_TLS_CERT_ALTNAME_INVALID', `${CERTIFICATE}: it is for another host name.`],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `${CERTIFICATE}: it is self-signed.`],
  ['SELF_SIGNED_CERT_IN_CHAIN', `${CERTIFICATE}: its certificate authority is not trusted.`],
  ['UNABLE_TO_GET_ISSUER_CERT', `${CERTIFICATE}: its certificate authority is not trusted.`],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', `${CERTIFICATE}: its certificate authority is not trusted.`],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', `${CERTIFICATE}: its certificate authority is not trusted.`],
])

export function outgoingFailure(error: unknown, host: string): string {
  const code = codeOf(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `The host name \`${host}\` is not known.`
  if (code.startsWith('HPE_') && !SENTENCES.has(code)) return 'The answer is not valid HTTP.'
  if (code.startsWith('ERR_SSL_')) return SENTENCES.get('EPROTO') ?? ''
  return SENTENCES.get(code) ?? `The request failed (${code}).`
}

/** Uses only the code, because system messages may contain addresses. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown error'
}
