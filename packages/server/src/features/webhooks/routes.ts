import * as api from '@postil/domain/api/webhooks'
import { type Served, serve } from '../../http/serve.ts'
import { createWebhook } from './create.ts'
import { pingWebhook } from './ping.ts'
import { listWebhookDeliveries, listWebhookStates, listWebhooks } from './read.ts'
import { resendWebhookDelivery } from './resend.ts'
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from './update.ts'

export const webhookRoutes: Served[] = [
  serve(api.listWebhooks, ctx => listWebhooks(ctx)),
  serve(api.createWebhook, (ctx, { body }) => createWebhook(ctx, body)),
  serve(api.updateWebhook, (ctx, { params, body }) => updateWebhook(ctx, params.webhook_id, body)),
  serve(api.deleteWebhook, (ctx, { params }) => deleteWebhook(ctx, params.webhook_id)),
  serve(api.pingWebhook, (ctx, { params }) => pingWebhook(ctx, params.webhook_id)),
  serve(api.rotateWebhookSecret, (ctx, { params }) => rotateWebhookSecret(ctx, params.webhook_id)),
  serve(api.listWebhookStates, ctx => listWebhookStates(ctx)),
  serve(api.listWebhookDeliveries, (ctx, { params, query }) => listWebhookDeliveries(ctx, params.webhook_id, query)),
  serve(api.resendWebhookDelivery, (ctx, { params }) => resendWebhookDelivery(ctx, params.webhook_id, params.delivery_id)),
]
