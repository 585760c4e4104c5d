import { invalid } from '@postil/domain/errors'

/** More than any of our forms has, because some clients send additional fields. */
const PAIRS_MAX = 100

/**
 * Parses the fields of a form body, URL-encoded or multipart. Returns no fields for any other body, so that they are reported as
 * missing.
 */
export async function parseForm(body: Uint8Array | null, contentType: string | null): Promise<Record<string, string>> {
  const type = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (body === null || contentType === null || type === undefined) return {}
  if (type === 'multipart/form-data') return parseMultipart(body, contentType)
  const text = new TextDecoder().decode(body)
  // Checked before parsing, because the parser's time grows quadratically with the number of pairs.
  checkCount(text.split('&', PAIRS_MAX + 1).length)
  return Object.fromEntries(new URLSearchParams(text))
}

async function parseMultipart(body: Uint8Array, contentType: string): Promise<Record<string, string>> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    const entries = [...form]
    checkCount(entries.length)
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch (error) {
    // The parser throws a TypeError if the body is not a form; it then has no fields.
    if (error instanceof TypeError) return {}
    throw error
  }
}

function checkCount(pairs: number): void {
  if (pairs > PAIRS_MAX) throw invalid(`The form has more than ${PAIRS_MAX} fields`)
}
