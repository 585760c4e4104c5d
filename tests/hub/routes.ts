/** Request routing of the loopback hub. */
import {
  type Answer,
  accountOf,
  type Hub,
  type HubCall,
  mustWrite,
  Refusal,
  readableOf,
  readJson,
  toJson,
  writableOf,
} from './answers.ts'
import { answerFile, answerInfo, answerParquet, answerPaths, answerTree, commitOf } from './files.ts'
import { createRepository, type HubRepository, listCommits } from './repository.ts'
import { answerBatch, answerCommit, answerPreupload, answerVerify } from './uploads.ts'

const NAME = /^[\w.-]{1,96}$/

export function answerHub(hub: Hub, call: HubCall): Answer {
  const [first, second, owner, name, kind = '', ...rest] = call.segments
  if (first === 'datasets') return answerRepositoryPath(hub, call)
  if (first === 'api' && second === 'datasets' && owner && name) {
    return answerDatasets(hub, call, `${owner}/${name}`, kind, rest)
  }
  const route = `${call.method} /${call.segments.join('/')}`
  if (route === 'GET /api/whoami-v2') return answerAccount(hub, call)
  if (route === 'POST /api/repos/create') return answerCreate(hub, call)
  if (route === 'DELETE /api/repos/delete') return answerDelete(hub, call)
  // Clients validate a README.md before they commit it. The loopback hub accepts everything.
  if (route === 'POST /api/validate-yaml') return toJson({ errors: [], warnings: [] })
  throw new Refusal(501, `The loopback hub has no ${route}`)
}

/** `/datasets/{owner}/{name}/…` and `/datasets/{owner}/{name}.git/…`: files, and the upload of large ones. */
function answerRepositoryPath(hub: Hub, call: HubCall): Answer {
  const [, owner = '', name = '', kind = '', ...rest] = call.segments
  if (name.endsWith('.git') && `${kind}/${rest.join('/')}` === 'info/lfs/objects/batch') {
    return answerBatch(hub, call, `${owner}/${name.slice(0, -'.git'.length)}`)
  }
  if (kind === 'resolve' || kind === 'raw') return answerFile(hub, call, `${owner}/${name}`, kind, rest)
  throw new Refusal(501, `The loopback hub has no /${call.segments.join('/')}`)
}

function answerDatasets(hub: Hub, call: HubCall, id: string, kind: string, rest: string[]): Answer {
  const route = `${call.method} ${kind}`
  if (route === 'GET ' || route === 'GET revision') return answerInfo(hub, call, id, rest)
  if (route === 'GET tree') return answerTree(hub, call, id, rest)
  if (route === 'POST paths-info') return answerPaths(hub, call, id, rest)
  if (route === 'GET parquet') return answerParquet(hub, call, id, rest)
  if (route === 'POST preupload') return answerPreupload(hub, call, id, rest)
  if (route === 'POST commit') return answerCommit(hub, call, id, rest)
  if (route === 'POST lfs-verify') return answerVerify(hub, call, id)
  if (route === 'POST branch') return answerBranch(hub, call, id, rest)
  const repository = readableOf(hub, call, id)
  if (route === 'GET auth-check') return toJson({})
  if (route === 'GET refs') return toJson(refsOf(repository))
  if (route === 'GET commits') {
    const commits = listCommits(repository, commitOf(repository, rest.join('/')))
    return toJson(commits.map(({ oid, title, date }) => ({ id: oid, title, message: '', date, authors: [] })))
  }
  throw new Refusal(501, `The loopback hub has no /${call.segments.join('/')}`)
}

function answerAccount(hub: Hub, call: HubCall): Answer {
  const account = accountOf(hub, call)
  if (!account) throw new Refusal(401, 'Invalid username or password.')
  const { name, organizations = [], role = 'write' } = account
  return toJson({
    type: 'user',
    id: name,
    name,
    fullname: name,
    orgs: organizations.map(organization => ({ type: 'org', id: organization, name: organization, fullname: organization })),
    auth: { type: 'access_token', accessToken: { displayName: 'test', role, createdAt: '2025-01-01T00:00:00.000Z' } },
  })
}

interface CreateBody {
  name?: string
  organization?: string | null
  type?: string
  private?: boolean
  visibility?: string
}

function answerCreate(hub: Hub, call: HubCall): Answer {
  const body: CreateBody = readJson(call.body)
  const account = accountOf(hub, call)
  const owner = body.organization ?? account?.name ?? ''
  mustWrite(hub, call, owner)
  const id = `${owner}/${body.name}`
  if (body.type !== 'dataset') throw new Refusal(400, 'The loopback hub keeps datasets only')
  if (!NAME.test(body.name ?? '')) throw new Refusal(400, `Invalid name "${body.name}"`)
  const url = `${hub.url}/datasets/${id}`
  if (hub.repositories.has(id)) return toJson({ error: 'You already created this dataset repo', url }, { status: 409 })
  hub.repositories.set(id, createRepository(id, body.private === true || body.visibility === 'private'))
  return toJson({ url, name: id, id })
}

function answerDelete(hub: Hub, call: HubCall): Answer {
  const body: CreateBody = readJson(call.body)
  const owner = body.organization ?? accountOf(hub, call)?.name ?? ''
  const { id } = writableOf(hub, call, `${owner}/${body.name}`)
  hub.repositories.delete(id)
  return toJson({})
}

function answerBranch(hub: Hub, call: HubCall, id: string, segments: string[]): Answer {
  const repository = writableOf(hub, call, id)
  const branch = segments.join('/')
  if (repository.branches.has(branch)) throw new Refusal(409, `Reference already exists: ${branch}`)
  repository.branches.set(branch, commitOf(repository, 'main').oid)
  return toJson({})
}

function refsOf({ branches }: HubRepository) {
  const refs = Array.from(branches, ([name, targetCommit]) => ({ name, targetCommit }))
  const [converts, heads] = [
    refs.filter(({ name }) => name.startsWith('refs/')),
    refs.filter(({ name }) => !name.startsWith('refs/')),
  ]
  return {
    branches: heads.map(ref => ({ ...ref, ref: `refs/heads/${ref.name}` })),
    converts: converts.map(ref => ({ ...ref, name: ref.name.replace('refs/convert/', ''), ref: ref.name })),
    tags: [],
  }
}
