/** What a telemetry report holds: all of it. `docs/guide/telemetry.md` lists the same keys. */
import { existsSync } from 'node:fs'
import { machine, release, type } from 'node:os'
import type { Config } from '../config.ts'
import { API_VERSION, POSTIL_VERSION } from '../version.ts'

/** What is the same in every report of a server. */
export interface ServerInfo {
  /** A random UUID that this server made for reports and uses for nothing else. */
  user_id: string
  /** The level of the interface that clients check. */
  server_version: string
  /** Postil's own version. */
  service_version: string
  system: string
  system_release: string
  machine: string
  platform: string
  deployment: 'quickstart' | 'server'
  docker: boolean
}

interface FromClient {
  user_agent: string | null
  accept_language: string | null
}

/** Something that happened, without how often. */
export type Moment = FromClient &
  (
    | { event: 'me' }
    | { event: 'user' }
    | { event: 'bulk'; task: string; records: number }
    | { event: 'error'; code: string; entity: string }
  )

/** A moment and how often it was; `records` is the sum. */
export type ReportItem = Moment & { count: number }

export interface Report extends ServerInfo {
  reports: ReportItem[]
}

/** Containers of Docker and Podman have these files. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv']

export function toServerInfo(userId: string, { firstOwner }: Pick<Config, 'firstOwner'>): ServerInfo {
  const system = type().replace(/_NT$/, '')
  // Own builds of a kernel may have names of companies or people in what follows the numbers.
  const systemRelease = /^\d+(\.\d+)*/.exec(release())?.[0] ?? 'unknown'
  return {
    user_id: userId,
    server_version: API_VERSION,
    service_version: POSTIL_VERSION,
    system,
    system_release: systemRelease,
    machine: machine(),
    platform: `${process.platform}-${process.arch}-node-${process.versions.node}`,
    deployment: firstOwner === null ? 'server' : 'quickstart',
    docker: CONTAINER_FILES.some(path => existsSync(path)),
  }
}
