/**
 * Controls Firefox through Marionette, its own protocol, to which geckodriver translates W3C WebDriver. The commands are the
 * same; a message is its length, a colon and JSON over TCP. geckodriver is not used because Debian 12 does not package it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { COMMAND_MS, type Driver, toError } from './driver.ts'
import { makeHome, startProgram } from './processes.ts'

/** Disables requests to other servers, the welcome page and animations. */
const PREFERENCES: Record<string, string | number | boolean> = {
  'marionette.port': 0,
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'browser.startup.homepage': 'about:blank',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'intl.accept_languages': 'en-US,en',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
  'ui.prefersReducedMotion': 1,
}

export async function openFirefox(): Promise<Driver> {
  const home = await makeHome()
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(home.path, 'user.js'), lines.join('\n'))
  const path = process.env.POSTIL_TEST_FIREFOX ?? 'firefox-esr'
  const program = startProgram(path, ['--headless', '--marionette', '--no-remote', '--profile', home.path], {
    env: { ...process.env, HOME: home.path, LANG: 'C.UTF-8' },
  })
  const close = async () => {
    await program.end()
    await home.remove()
  }
  try {
    const port = await program.waitFor('a port for Marionette', () => findPort(join(home.path, 'MarionetteActivePort')))
    const marionette = await connectTo(port)
    const { capabilities } = (await marionette.send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })) as {
      capabilities: { browserVersion: string }
    }
    return {
      name: `Firefox ${capabilities.browserVersion}`,
      send: async (command, parameters = {}) => {
        const answer = await marionette.send(`WebDriver:${command}`, parameters)
        return (answer as { value?: unknown } | null)?.value ?? null
      },
      close: async () => {
        marionette.end()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Firefox writes the file once it is listening. */
async function findPort(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return Number(text.trim()) || null
}

type Reply = [type: 1, id: number, error: { error: string; message: string } | null, result: unknown]

async function connectTo(port: number) {
  const socket = connect(port, '127.0.0.1')
  const waiting = new Map<number, (reply: Reply | Error) => void>()
  const greeting = Promise.withResolvers<void>()
  const fail = (error: Error) => {
    greeting.reject(error)
    for (const answer of waiting.values()) answer(error)
    waiting.clear()
  }
  socket.on('error', fail).on('close', () => fail(new Error('Firefox closed the connection')))
  readMessages(socket, message => {
    // The first message is not a reply; it announces the protocol.
    if (!Array.isArray(message)) return greeting.resolve()
    const reply = message as Reply
    waiting.get(reply[1])?.(reply)
    waiting.delete(reply[1])
  })
  await greeting.promise
  let count = 0
  const send = (command: string, parameters: Record<string, unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++count
      const timer = setTimeout(() => reject(new Error(`${command}: no answer within ${COMMAND_MS / 1000} seconds`)), COMMAND_MS)
      waiting.set(id, reply => {
        clearTimeout(timer)
        if (reply instanceof Error) reject(reply)
        else if (reply[2]) reject(toError(command, reply[2]))
        else resolve(reply[3])
      })
      const text = JSON.stringify([0, id, command, parameters])
      socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
  return { send, end: () => socket.destroy() }
}

function readMessages(socket: Socket, onMessage: (message: unknown) => void): void {
  let left = Buffer.alloc(0)
  socket.on('data', data => {
    left = Buffer.concat([left, data])
    for (let colon = left.indexOf(':'); colon > 0; colon = left.indexOf(':')) {
      const end = colon + 1 + Number(left.subarray(0, colon))
      if (left.length < end) return
      const message: unknown = JSON.parse(left.subarray(colon + 1, end).toString())
      left = left.subarray(end)
      onMessage(message)
    }
  })
}
