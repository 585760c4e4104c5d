/** The first requests of the page must be the ones that the server embeds in it, so that the page does not send them. */
import { createClient } from '@postil/client'
import { firstCallKey, firstCallsOf } from '@postil/domain/api/first-calls'
import { expect, test } from 'vitest'
import type { RouteLocationNormalized } from 'vue-router'
import { createPrefetchCache } from '../../session/prefetch-cache.ts'
import { askFirst } from './ask-first.ts'

const ID = '0193a0b0-0000-7000-8000-000000000001'

async function keysFor(search: string): Promise<string[]> {
  const keys: string[] = []
  const fetch = async (url: string, { method = '', body }: RequestInit) => {
    keys.push(firstCallKey(method, url, body))
    return new Response('{"items":[],"total":0}')
  }
  const query = Object.fromEntries(new URLSearchParams(search))
  askFirst({ api: createClient({ url: '', fetch }), ahead: createPrefetchCache() }, {
    params: { id: ID },
    query,
  } as never as RouteLocationNormalized)
  return keys
}

test.each(['', 'page=1', 'page=7&status=pending', 'status=submitted', 'page=41&record=x', 'status=unknown&page='])(
  'with `%s`',
  async search => {
    const [me, ...rest] = firstCallsOf(`dataset/${ID}/annotation-mode`, search).map(({ key }) => key)
    expect(me).toBe('GET /api/v1/me')
    expect(rest.length).toBe(2)
    expect(await keysFor(search)).toEqual(rest)
  },
)

test.each(['page=2~10', 'search=a', 'page=0', 'page=1.5', 'similarity=x', 'sort=record.inserted_at.asc'])(
  'records are left to the page with `%s`',
  search => {
    expect(firstCallsOf(`dataset/${ID}`, search).length).toBe(2)
  },
)

test.each(['', 'sign-in', 'dataset/1', `dataset/${ID}/settings`, `dataset/${ID.toUpperCase()}X`])('nothing at `%s`', path => {
  expect(firstCallsOf(path, '')).toEqual([])
})
