/**
 * Scripts and styles that dataset templates load from other hosts. Template frames have no network access, so this server has
 * copies of them in one folder, each at the path of its original URL. Frames check them with hashes computed at start. They are
 * served to documents of any origin, because frames have an opaque one.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { answerFile, cacheHeaders } from './answer-file.ts'
import type { Reply } from './call.ts'
import { readWebFiles, toVariant, type WebFile } from './web-files.ts'

interface Libraries {
  /** Returns null if the name is not a library. */
  answer(name: string, headers: IncomingHttpHeaders): Reply | null
  /** Adds the list of libraries to the frame's page. */
  addListTo(frame: WebFile | undefined): WebFile | undefined
}

const LIMITS = { files: 1000, bytes: 100 * 2 ** 20 }
/** The version covers the whole folder, so that relative URLs between files work. */
const NAME = /^libraries\/([0-9a-f]{16})\/(.+)$/

const NONE: Libraries = { answer: () => null, addListTo: frame => frame }

export function loadLibraries(folder: string | null): Libraries {
  if (folder === null) return NONE
  const files = readWebFiles(folder, LIMITS)
  const hashes = Object.fromEntries(
    [...files].map(([name, { plain }]) => [name, `sha384-${hash('sha384', plain.bytes, 'base64')}`]),
  )
  const version = hash('sha256', JSON.stringify(hashes)).slice(0, 16)
  return {
    answer: (name, headers) => {
      const [, asked, path = ''] = NAME.exec(name) ?? []
      const file = files.get(decode(path))
      return file ? answerFile(file, headers, { ...cacheHeaders(asked === version), ...HEADERS }) : null
    },
    addListTo: frame => frame && withContent(frame, JSON.stringify({ version, hashes })),
  }
}

/** These files cannot run or load anything if opened directly. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
}

function withContent(frame: WebFile, content: string): WebFile {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const html = new TextDecoder().decode(frame.plain.bytes)
  const told = html.replace('<meta name="libraries" content="" />', () => `<meta name="libraries" content="${escaped}" />`)
  return { ...frame, plain: toVariant(new TextEncoder().encode(told)), compressed: [] }
}

/** Names such as `chart.js@4` may be percent-encoded (`%40`). */
function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
