/** Runs servers in own namespaces of mounts, where tests may mount without changing the machine. */
import { spawnSync } from 'node:child_process'

const NAMESPACE = '--map-root-user --mount'
/** Also with its own process ids, like a container. */
const CONTAINER = `${NAMESPACE} --pid --fork --kill-child`

const run = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' })

/** Some systems do not permit this. */
export const canMount =
  process.platform === 'linux' &&
  run(`unshare ${CONTAINER} sh -c 'mount --bind /tmp /tmp && mount -t tmpfs none /tmp'`).status === 0

const inside = (flags: string, mounts: string) => `exec unshare ${flags} sh -c '${mounts} && exec "$0" "$@"' "$0" "$@"`

/** For `shell` of `startServer`: mounts that end with the server. */
export const withMounts = (mounts: string) => inside(NAMESPACE, mounts)
export const inContainer = (mounts: string) => inside(CONTAINER, mounts)

/** Runs a command among the mounts of a running server. */
export function runAmongMounts(pid: number, command: string): void {
  const { status, stderr } = run(`nsenter --target ${pid} --user --mount --preserve-credentials ${command}`)
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}
