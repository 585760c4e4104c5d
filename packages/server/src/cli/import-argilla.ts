/** `postil server import-argilla`: imports everything from the database of an Argilla server. */
import { createProgress } from '@postil/terminal/progress'
import { DATABASE_SETTINGS } from '../database-settings.ts'
import { type ImportResult, importArgilla } from '../import-argilla/import.ts'
import { openSource } from '../import-argilla/source.ts'
import { KINDS, type Tally } from '../import-argilla/tally.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { withKeys } from './open-home.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

export interface ImportArgillaOptions {
  from: string
  dryRun: boolean
  skipInvalid: boolean
  json: boolean
}

/** Returns exit code 1 if the stored data differs from the source. */
export async function importFromArgilla({ from, dryRun, skipInvalid, json }: ImportArgillaOptions): Promise<number> {
  const { read, expected } = DATABASE_SETTINGS.database
  const place = read(from)
  // The message does not repeat the URL, which may contain a password.
  if (!place) throw new OperatorError(`--from is not the address of a database. Expected: ${expected}.`)
  const source = await openSource(place)
  try {
    return await withKeys(async ctx => {
      const result = await importArgilla(ctx, source, { dryRun, skipInvalid, progress: createProgress })
      if (json) say(JSON.stringify(toReport(result)))
      else tell(result, source.place)
      return isEqual(result) ? 0 : 1
    })
  } finally {
    await source.close()
  }
}

const isSame = (source: Tally, target: Tally, kind: (typeof KINDS)[number]) =>
  source.count(kind) === target.count(kind) && source.digest(kind) === target.digest(kind)

const isEqual = ({ source, target }: ImportResult) => target === null || KINDS.every(kind => isSame(source, target, kind))

function toReport({ source, target, checked, added }: ImportResult) {
  const kinds = KINDS.map(kind => [
    kind,
    {
      source: { count: source.count(kind), digest: source.digest(kind) },
      target: target && { count: target.count(kind), digest: target.digest(kind) },
    },
  ])
  const { leftOut, notes } = checked
  return {
    kinds: Object.fromEntries(kinds),
    records_added: added,
    left_out: { count: leftOut.count(), named: leftOut.lines() },
    notes: { count: notes.count(), named: notes.lines() },
  }
}

function tell(result: ImportResult, place: string): void {
  const { source, target, checked, added } = result
  say(target ? `Imported ${added} records from ${place}.` : `${added} records would come from ${place}. Nothing was written.`)
  say('')
  say(`${'kind'.padEnd(20)} ${'source'.padStart(9)} ${target ? `${'here'.padStart(9)}  hash` : ''}`.trimEnd())
  for (const kind of KINDS) {
    const counts = `${kind.padEnd(20)} ${String(source.count(kind)).padStart(9)}`
    if (!target) say(counts)
    else {
      const digest = source.digest(kind).slice(0, 16)
      const hash = isSame(source, target, kind) ? `${digest} equal` : `${digest} DIFFERS from ${target.digest(kind).slice(0, 16)}`
      say(`${counts} ${String(target.count(kind)).padStart(9)}  ${hash}`)
    }
  }
  tellFindings('rows were left out', checked.leftOut)
  tellFindings('rows break rules of this server and come as they are', checked.notes)
  if (!isEqual(result)) {
    say('')
    say('What is stored differs from the source. If people have worked here since the first run, that is why; see the guide.')
  }
}

function tellFindings(what: string, findings: { count(): number; lines(): string[] }): void {
  if (findings.count() === 0) return
  say('')
  say(`${findings.count()} ${what}:`)
  for (const line of findings.lines()) say(`  - ${line}`)
}
