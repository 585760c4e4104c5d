/** The HTTP server over a test's context, in one thread: requests go through everything but the network. */
import { CONTRACTS } from '@postil/domain/api/all'
import type { FastifyInstance } from 'fastify'
import { ROUTES } from '../features/all.ts'
import { openAdmit } from '../http/admit.ts'
import { type AppOptions, buildApp } from '../http/app.ts'
import { openRunCall } from '../http/run-call.ts'
import type { TestContext } from './context.ts'

export function openTestApp(ctx: TestContext, webFolder = '/nowhere', options: AppOptions = {}): FastifyInstance {
  const runCall = openRunCall(ROUTES)
  const admit = openAdmit(ROUTES)
  return buildApp(ctx, CONTRACTS, (_contract, call) => runCall(ctx, call), { webFolder, admit, ...options })
}
