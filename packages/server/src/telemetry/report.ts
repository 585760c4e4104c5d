/** Complete contents of a telemetry report. `docs/guide/telemetry.md` lists the same keys. */
import { existsSync } from 'node:fs'
import { machine, release, type } from 'node:os'
import type { Config } from '../config.ts'
import { API_VERSION, POSTIL_VERSION } from '../version.ts'

/** Data that is the same in every report of a server. */
export interface ServerInfo {
  /** Random UUID that this server generates for reports and uses for nothing else. */
  user_id: string
  /** API version that clients check. */
  server_version: string
  /** Version of Postil. */
  service_version: string
  system: string
  system_release: string
  machine: string
  platform: string
  deployment: 'quickstart' | 'server'
  docker: boolean
}

interface ClientInfo {
  user_agent: string | null
  accept_language: string | null
}

/** Reported event, without its count. */
export type TelemetryEvent = ClientInfo &
  (
    | { event: 'me' }
    | { event: 'user' }
    | { event: 'bulk'; task: string; records: number }
    | { event: 'error'; code: string; entity: string }
  )

/** An event with its count; `records` is the sum. */
export type ReportItem = TelemetryEvent & { count: number }

export interface Report extends ServerInfo {
  reports: ReportItem[]
}

/** Files that exist in Docker and Podman containers. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv']

export function toServerInfo(userId: string, { firstOwner }: Pick<Config, 'firstOwner'>): ServerInfo {
  const system = type().replace(/_NT$/, '')
  // Keeps only the numbers, because the suffix of a custom kernel build may contain names of companies or people.
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
