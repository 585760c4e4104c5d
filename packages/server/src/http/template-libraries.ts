/**
 * Scripts and styles that templates of datasets load from elsewhere. Frames of templates have no network, so that this server
 * has copies of them: files of one folder, each where its address says. They are given out with the hash they had at start,
 * to documents of any origin, because that of a frame is nobody's.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { answerFile, keptFor } from './answer-file.ts'
import type { Reply } from './call.ts'
import { readWebFiles, toVariant, type WebFile } from './web-files.ts'

interface Libraries {
  /** Null for a name that is none of theirs. */
  answer(name: string, headers: IncomingHttpHeaders): Reply | null
  /** The frame's page, which knows what there is. */
  tell(frame: WebFile | undefined): WebFile | undefined
}

const LIMITS = { files: 1000, bytes: 100 * 2 ** 20 }
/** The version is that of the whole folder: files that lead to each other by relative addresses find each other. */
const NAME = /^libraries\/([0-9a-f]{16})\/(.+)$/

const NONE: Libraries = { answer: () => null, tell: frame => frame }

export function openLibraries(folder: string | null): Libraries {
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
      return file ? answerFile(file, headers, { ...keptFor(asked === version), ...HEADERS }) : null
    },
    tell: frame => frame && withContent(frame, JSON.stringify({ version, hashes })),
  }
}

/** Opened by themselves they can do nothing, whatever they are. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
}

function withContent(frame: WebFile, content: string): WebFile {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const html = new TextDecoder().decode(frame.plain.bytes)
  const told = html.replace('<meta name="libraries" content="" />', () => `<meta name="libraries" content="${escaped}" />`)
  return { ...frame, plain: toVariant(new TextEncoder().encode(told)), coded: [] }
}

/** Names such as `chart.js@4` may come with their signs written as `%40`. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
