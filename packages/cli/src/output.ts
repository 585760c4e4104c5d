/**
 * Output of commands: one JSON document with `--json`, otherwise panels and tables.
 *
 * Results and failures go to standard output, prompts and progress to standard error, so that output can be piped.
 */
import { styleText } from 'node:util'
import Table from 'cli-table3'
import { showsColour } from './environment.ts'

export interface Output {
  /** Prints the result of a single action. */
  panel(title: string, lines: readonly string[], value: unknown): void
  table(title: string, columns: readonly string[], rows: readonly (readonly string[])[], value: unknown): void
  fail(title: string, message: string): void
}

export function createOutput({ json }: { json: boolean }): Output {
  return json ? createJsonOutput() : createTextOutput()
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

function createJsonOutput(): Output {
  const printJson = (value: unknown) => print(JSON.stringify(value, null, 2))
  return {
    panel: (_title, _lines, value) => printJson(value),
    table: (_title, _columns, _rows, value) => printJson(value),
    fail: (title, message) => printJson({ error: { title, message } }),
  }
}

function createTextOutput(): Output {
  const paint = (colour: 'green' | 'bold', text: string) =>
    showsColour(process.stdout) ? styleText(colour, text, { validateStream: false }) : text
  const panel = (title: string, lines: readonly string[]) => print(toTable([title], [[lines.map(toPrintable).join('\n')]]))
  return {
    panel: (title, lines) => panel(paint('green', toPrintable(title)), lines),
    table: (title, columns, rows) => {
      print(paint('bold', toPrintable(title)))
      print(
        toTable(
          columns,
          rows.map(row => row.map(toPrintable)),
        ),
      )
    },
    fail: (title, message) => panel(toPrintable(title), message.split('\n')),
  }
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } })
  for (const row of rows) table.push([...row])
  return table.toString()
}

/** Replaces control characters, except line breaks, because names come from other users and must not control the terminal. */
const toPrintable = (text: string) => text.replaceAll(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '�')

/** Formats a time of the API as `2026-01-31 12:00:00.000000`. */
export const toDate = (timestamp: string) => timestamp.replace('T', ' ')

export const toBullets = (pairs: readonly (readonly [label: string, value: string])[]) =>
  pairs.map(([label, value]) => `• ${label}: ${value}`)
