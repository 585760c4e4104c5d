import type { Webhook, WebhookDeliveries } from '@postil/domain/webhooks'
import { aDataset, SMALL_DRAFT } from './datasets.ts'
import type { World } from './http.ts'
import { OWNER, type RouteCases } from './route-case.ts'

/** The server itself: it is reachable and refuses every delivery. */
const targetOf = ({ server }: World) => `${server.url}/api/v1/version`

/** Deletes older webhooks first, because the maximum is ten. */
async function aWebhook(world: World): Promise<Webhook> {
  const { owner } = world
  const { items } = await owner.done<{ items: Webhook[] }>('GET /webhooks')
  for (const { id } of items.slice(0, Math.max(0, items.length - 5))) await owner.done(`DELETE /webhooks/${id}`)
  return owner.done<Webhook>('POST /webhooks', { url: targetOf(world), events: ['dataset.created'] })
}

const ofWebhook = async (world: World) => ({ params: { webhook_id: (await aWebhook(world)).id } })

async function aDelivery(world: World): Promise<{ webhook_id: string; delivery_id: string }> {
  const { id } = await aWebhook(world)
  await aDataset(world, SMALL_DRAFT)
  for (;;) {
    const { items } = await world.owner.done<WebhookDeliveries>(`GET /webhooks/${id}/deliveries`)
    if (items[0]) return { webhook_id: id, delivery_id: items[0].id }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const EVENTS = ['dataset.created']
const URL = 'https://hooks.example.org/in'

const INVALID = [
  { body: { url: 'ftp://example.org', events: EVENTS }, problems: [['value_error', 'body', 'url']] },
  { body: { url: 'example.org/in', events: EVENTS }, problems: [['value_error', 'body', 'url']] },
  { body: { url: `https://e.org/${'x'.repeat(2083)}`, events: EVENTS }, problems: [['string_too_long', 'body', 'url']] },
  { body: { url: URL, events: [] }, problems: [['too_short', 'body', 'events']] },
  { body: { url: URL, events: ['ping'] }, problems: [['enum', 'body', 'events', 0]] },
  { body: { url: URL, events: [...EVENTS, ...EVENTS] }, problems: [['value_error', 'body', 'events']] },
  { body: { url: URL, events: EVENTS, description: '' }, problems: [['string_too_short', 'body', 'description']] },
  { body: { url: URL, events: EVENTS, description: 'x'.repeat(1001) }, problems: [['string_too_long', 'body', 'description']] },
] satisfies RouteCases['invalid']

export const webhookCases: Record<string, RouteCases> = {
  listWebhooks: {
    request: async world => {
      await aWebhook(world)
      return {}
    },
    permission: OWNER,
  },
  createWebhook: {
    request: async world => {
      await aWebhook(world)
      return { body: { url: targetOf(world), events: ['record.completed', 'dataset.created'], description: 'A bot' } }
    },
    permission: OWNER,
    invalid: [
      {
        body: {},
        problems: [
          ['missing', 'body', 'url'],
          ['missing', 'body', 'events'],
        ],
      },
      ...INVALID,
    ],
  },
  updateWebhook: {
    request: async world => ({ ...(await ofWebhook(world)), body: { enabled: false, description: null } }),
    permission: OWNER,
    invalid: [
      ...INVALID,
      { body: { url: null }, problems: [['value_error', 'body']] },
      { body: { events: null }, problems: [['value_error', 'body']] },
      { body: { enabled: null }, problems: [['value_error', 'body']] },
      { body: { enabled: 'perhaps' }, problems: [['bool_parsing', 'body', 'enabled']] },
    ],
  },
  deleteWebhook: { request: ofWebhook, permission: OWNER },
  pingWebhook: { request: ofWebhook, permission: OWNER },
  rotateWebhookSecret: { request: ofWebhook, permission: OWNER },
  listWebhookStates: {
    request: async world => {
      await aWebhook(world)
      return {}
    },
    permission: OWNER,
  },
  listWebhookDeliveries: {
    request: async world => ({
      params: { webhook_id: (await aDelivery(world)).webhook_id },
      query: 'limit=1&event=dataset.created',
    }),
    permission: OWNER,
    invalid: [
      { query: 'status=lost', problems: [['enum', 'query', 'status']] },
      { query: 'event=ping', problems: [['enum', 'query', 'event']] },
      { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
      { query: 'limit=201', problems: [['less_than_equal', 'query', 'limit']] },
      { query: 'before=x', problems: [['value_error', 'query', 'before']] },
    ],
  },
  resendWebhookDelivery: { request: async world => ({ params: await aDelivery(world) }), permission: OWNER },
}
