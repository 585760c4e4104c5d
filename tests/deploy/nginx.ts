/** A real nginx: the installed one, or one from a Debian package that is unpacked into a cache without being installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/nginx')
const UNPACKED = join(CACHE, 'root/usr/sbin/nginx')
const START_MS_MAX = 30_000

/** Returns null if there is none for this machine. */
export function findNginx(): string | null {
  const places = [
    process.env.POSTIL_TEST_NGINX ?? '',
    '/usr/sbin/nginx',
    '/usr/local/sbin/nginx',
    '/opt/homebrew/bin/nginx',
    UNPACKED,
  ]
  return places.find(path => path !== '' && existsSync(path)) ?? unpack()
}

function unpack(): string | null {
  mkdirSync(CACHE, { recursive: true })
  const run = (file: string, args: string[]) => execFileSync(file, args, { cwd: CACHE, stdio: 'ignore' })
  try {
    try {
      run('apt-get', ['download', 'nginx'])
    } catch {
      // A fresh machine has no package list yet. Only root can update it.
      run('apt-get', ['update'])
      run('apt-get', ['download', 'nginx'])
    }
    for (const name of globSync('nginx_*.deb', { cwd: CACHE })) run('dpkg', ['-x', name, 'root'])
    run(UNPACKED, ['-v'])
    return UNPACKED
  } catch {
    // Not Debian, no network, or missing libraries: the caller reports the tests as skipped.
    return null
  }
}

export interface StartedNginx {
  url: string
  close(): Promise<void>
}

/** Runs a file of deploy/nginx with other ports and servers. `replace` maps texts to their replacements. */
export async function startNginx(
  program: string,
  file: string,
  replace: Readonly<Record<string, string>>,
): Promise<StartedNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-nginx-'))
  const port = await findFreePort()
  let site = readFileSync(join(ROOT, 'deploy/nginx', file), 'utf8')
  for (const [from, to] of Object.entries({ ...replace, 'listen 80;': `listen 127.0.0.1:${port};` })) {
    if (!site.includes(from)) throw new Error(`${file} does not contain \`${from}\``)
    site = site.replace(from, to)
  }
  writeFileSync(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  )
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const close = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitFor(child, `http://127.0.0.1:${port}/`, () => readFileSync(join(folder, 'error.log'), 'utf8'))
  } catch (error) {
    await close()
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

/** Waits for any response. */
async function waitFor(child: ChildProcess, url: string, readLog: () => string): Promise<void> {
  const endsAt = performance.now() + START_MS_MAX
  while (child.exitCode === null && performance.now() < endsAt) {
    const answer = await fetch(url).catch(() => null)
    if (answer) return
    await pause(50)
  }
  throw new Error(`nginx does not answer. Its log:\n${readLog()}`)
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
