/** Reads CSV as spreadsheets write it. The delimiter is a comma, semicolon or tab. */
import { withoutMark } from '@postil/domain/exports/csv'

const DELIMITERS = [',', ';', '\t'] as const

/** Returns the rows, each with its cells and the line where it begins. Returns null if a quote is not closed. */
export function parseCsv(text: string): { line: number; cells: string[] }[] | null {
  const source = text.replace(/^\uFEFF/, '')
  const delimiter = findDelimiter(source)
  const rows: { line: number; cells: string[] }[] = []
  let line = 1
  for (let at = 0; at < source.length; ) {
    const read = readRow(source, at, delimiter)
    if (read === null) return null
    if (read.cells.some(cell => cell.trim() !== '')) rows.push({ line, cells: read.cells })
    line += countLines(source, at, read.end)
    at = read.end
  }
  return rows
}

/** Returns the delimiter that occurs most often in the first line. */
function findDelimiter(source: string): string {
  const first = source.slice(0, source.search(/[\r\n]|$/))
  return DELIMITERS.reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best))
}

function readRow(source: string, start: number, delimiter: string): { cells: string[]; end: number } | null {
  const cells: string[] = []
  for (let at = start; ; at++) {
    const cell = source[at] === '"' ? readQuoted(source, at, delimiter) : readPlain(source, at, delimiter)
    if (cell === null) return null
    cells.push(withoutMark(cell.value))
    at = cell.end
    if (source[at] === delimiter) continue
    if (source[at] === '\r' && source[at + 1] === '\n') at++
    return { cells, end: at + 1 }
  }
}

function readPlain(source: string, start: number, delimiter: string): { value: string; end: number } {
  let end = start
  while (end < source.length && source[end] !== delimiter && source[end] !== '\n' && source[end] !== '\r') end++
  return { value: source.slice(start, end), end }
}

/** Text after the closing quote belongs to the cell, because some programs write such files. */
function readQuoted(source: string, start: number, delimiter: string): { value: string; end: number } | null {
  const parts: string[] = []
  for (let at = start + 1; ; ) {
    const quote = source.indexOf('"', at)
    if (quote < 0) return null
    parts.push(source.slice(at, quote))
    if (source[quote + 1] !== '"') {
      const rest = readPlain(source, quote + 1, delimiter)
      return { value: parts.join('') + rest.value, end: rest.end }
    }
    parts.push('"')
    at = quote + 2
  }
}

const countLines = (source: string, start: number, end: number) => source.slice(start, end).split(/\r\n|\r|\n/).length - 1
