/** Responds with a file from memory: compressed if the browser accepts it, or 304 if the browser has it already. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from './call.ts'
import type { Variant, WebFile } from './web-files.ts'

/** `Cache-Control` for immutable files, or revalidation on each request. */
export const cacheHeaders = (isImmutable: boolean) => ({
  'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
})

export function answerFile(file: WebFile, headers: IncomingHttpHeaders, others: Record<string, string>): Reply {
  const [coding, { bytes, etag }] = choose(file, headers['accept-encoding'])
  const all: Record<string, string> = { etag, ...others }
  if (file.compressed.length > 0) all.vary = 'Accept-Encoding'
  if (isKnown(etag, headers['if-none-match'])) return { status: 304, contentType: null, body: null, headers: all }
  if (coding !== null) all['content-encoding'] = coding
  return { status: 200, contentType: file.contentType, body: bytes, headers: all }
}

function choose({ plain, compressed }: WebFile, accepted = ''): [string | null, Variant] {
  const offers = accepted.toLowerCase().split(',').slice(0, 20)
  const takes = (coding: string) => offers.some(offer => new RegExp(`^\\s*${coding}\\s*(;\\s*q=(1|0\\.0*[1-9])|$)`).test(offer))
  return compressed.find(([coding]) => takes(coding)) ?? [null, plain]
}

const isKnown = (etag: string, given = '') => given.split(',').some(one => ['*', etag].includes(one.trim().replace(/^W\//, '')))
