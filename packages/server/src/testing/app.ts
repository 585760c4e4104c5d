/** The HTTP server with a test's context, in one thread: requests pass through everything except the network. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { FastifyInstance } from 'fastify'
import { ROUTES } from '../features/all.ts'
import { createAdmit } from '../http/admit.ts'
import { type AppOptions, buildApp } from '../http/app.ts'
import { createRunCall } from '../http/run-call.ts'
import type { TestContext } from './context.ts'

export function openTestApp(ctx: TestContext, webFolder = '/nowhere', options: AppOptions = {}): FastifyInstance {
  const runCall = createRunCall(ROUTES)
  const admit = createAdmit(ROUTES)
  return buildApp(ctx, CONTRACTS, (_contract, call) => runCall(ctx, call), { webFolder, admit, ...options })
}
