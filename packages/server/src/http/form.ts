/** Fields of a form body, url-encoded or multipart; anything else has none, so that they are reported as missing. */
export async function parseForm(body: Uint8Array | null, contentType: string | null): Promise<Record<string, string>> {
  if (body === null || !contentType || !/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType))
    return {}
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    return Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch (error) {
    // The parser throws TypeErrors for what is no form; then no field was given.
    if (error instanceof TypeError) return {}
    throw error
  }
}
