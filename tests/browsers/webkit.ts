/** WebKitGTK's MiniBrowser, the closest to Safari on Linux. WebKitWebDriver starts it on a virtual display. */
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { COMMAND_MS, COMMANDS, type Driver, toError } from './driver.ts'
import { makeHome, type Program, startProgram } from './processes.ts'

export async function openWebKit(): Promise<Driver> {
  const home = await makeHome()
  const programs: Program[] = []
  const close = async () => {
    for (const program of programs.toReversed()) await program.end()
    await home.remove()
  }
  try {
    const screen = await startScreen(programs)
    const base = await startDriver(programs, await toEnvironment(home.path, screen))
    const { sessionId, capabilities } = (await request(base, 'POST', 'session', { capabilities: { alwaysMatch: {} } })) as {
      sessionId: string
      capabilities: { browserVersion: string }
    }
    return {
      name: `WebKitGTK ${capabilities.browserVersion}`,
      send: (command, parameters = {}) => {
        const [method, path] = COMMANDS[command]
        return request(base, method, `session/${sessionId}/${path}`, parameters)
      },
      close: async () => {
        await request(base, 'DELETE', `session/${sessionId}`, {})
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Xvfb picks a free display and writes its number to file descriptor 3. */
async function startScreen(programs: Program[]): Promise<string> {
  const xvfb = startProgram('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  programs.push(xvfb)
  let text = ''
  const stream = xvfb.child.stdio[3] as Readable
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return xvfb.waitFor('a display', () => (text.endsWith('\n') ? `:${text.trim()}` : null))
}

async function toEnvironment(home: string, screen: string): Promise<NodeJS.ProcessEnv> {
  const folder = join(home, '.config', 'gtk-3.0')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
  return {
    PATH: process.env.PATH,
    HOME: home,
    DISPLAY: screen,
    GDK_BACKEND: 'x11',
    LANG: 'C.UTF-8',
    LANGUAGE: 'en_US',
    NO_AT_BRIDGE: '1',
    GSETTINGS_BACKEND: 'memory',
    LIBGL_ALWAYS_SOFTWARE: '1',
  }
}

/** The driver does not accept port 0, so a free port is found first. */
async function startDriver(programs: Program[], env: NodeJS.ProcessEnv): Promise<string> {
  const port = await findFreePort()
  const driver = startProgram(process.env.POSTIL_TEST_WEBKIT ?? 'WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env,
  })
  programs.push(driver)
  const base = `http://127.0.0.1:${port}`
  const isThere = () =>
    fetch(`${base}/status`).then(
      answer => answer.ok || null,
      () => null,
    )
  await driver.waitFor('answered', isThere)
  return base
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

async function request(base: string, method: string, path: string, parameters: Record<string, unknown>): Promise<unknown> {
  const answer = await fetch(`${base}/${path}`, {
    method,
    ...(method === 'POST' ? { body: JSON.stringify(parameters) } : {}),
    signal: AbortSignal.timeout(COMMAND_MS),
  })
  const { value } = (await answer.json()) as { value: unknown }
  if (!answer.ok) throw toError(`${method} ${path}`, value as { error: string; message: string })
  return value
}
