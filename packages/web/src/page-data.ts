/**
 * API responses that the server embeds in the page for the signed-in user (`server/http/page-data.ts`). They stay in the document
 * until they are taken, each once, and for at most `KEPT_MS`.
 */
import { firstCallKey } from '@postil/domain/api/first-calls'
import { SERVER_URL } from './server-address.ts'

/** Maximum age. Unused responses are outdated after this time. */
const KEPT_MS = 10_000

const findAnswers = () => document.querySelectorAll<HTMLScriptElement>('script[data-call]')

export function forgetPageDataLater(): void {
  setTimeout(() => {
    for (const answer of findAnswers()) answer.remove()
  }, KEPT_MS)
}

/** Returns null if the page has no response to this request, or if the response belongs to another user. */
export function takeFromPage(url: string, { method = 'GET', body }: RequestInit, userId?: string): Response | null {
  if (typeof document === 'undefined') return null
  const key = firstCallKey(method, url.slice(SERVER_URL.length), body)
  const answer = [...findAnswers()].find(({ dataset }) => dataset.call === key)
  if (!answer) return null
  answer.remove()
  if (userId !== undefined && userId !== answer.dataset.user) return null
  return new Response(answer.textContent, { headers: { 'content-type': 'application/json' } })
}
