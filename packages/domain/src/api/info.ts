import { Job } from '../jobs.ts'
import { Dictionary, Shape, Text, Type } from '../schema.ts'
import { JobParams } from './params.ts'
import { route } from './route.ts'

const tag = 'server'

export const getVersion = route({
  id: 'getVersion',
  method: 'GET',
  path: '/api/v1/version',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  summary: 'The level of the interface that clients check',
  response: Shape({ version: Text() }),
})

export const getStatus = route({
  id: 'getStatus',
  method: 'GET',
  path: '/api/v1/status',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  summary: 'Versions, search engine and memory',
  response: Shape({
    version: Text(),
    server: Shape({ name: Text(), version: Text() }),
    search_engine: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    memory: Dictionary(Text()),
  }),
})

export const getSettings = route({
  id: 'getSettings',
  method: 'GET',
  path: '/api/v1/settings',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  summary: 'What the web UI must know before anybody signs in',
  response: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
})

export const getJob = route({
  id: 'getJob',
  method: 'GET',
  path: '/api/v1/jobs/:job_id',
  tag: 'jobs',
  status: 200,
  runs: 'here',
  summary: 'How far a background job is',
  params: JobParams,
  response: Job,
})

export const infoRoutes = [getVersion, getStatus, getSettings, getJob]
