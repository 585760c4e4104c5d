/**
 * Planted faults: small changes of the code that some test must notice. `npm run faults` applies them, one at a time.
 *
 * The text files beside this one list them. A part of the code begins with `= its name`, followed by its tests: folders and files
 * of unit tests, names of files in tests/contract, and ids of routes. Each fault is a line `id | file | what goes wrong`, with the
 * text to find (`-`) and its replacement (`+`), like in a patch.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PlantedFault {
  id: string
  /** What goes wrong, in the words of somebody who meets it. */
  what: string
  /** Path in the repository. */
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
}

/** Faults of one part of the code, and the tests to run for them. */
export interface FaultGroup {
  name: string
  /** Files and folders with unit tests. */
  unit: string[]
  /** Names of contract tests. They run one after the other until one fails, so those that are most likely to fail come first. */
  contract: string[]
  /** Ids of the routes that the code serves: of the tests of all routes, those of these routes run. */
  routes: string[]
  faults: PlantedFault[]
}

function parseGroup(text: string): FaultGroup {
  const [name = '', ...lines] = text.trimEnd().split('\n')
  const group: FaultGroup = { name, unit: [], contract: [], routes: [], faults: [] }
  let folder = ''
  let fault: { found: string[]; replaced: string[]; head: string[] } | null = null
  const close = () => {
    if (!fault) return
    const [id = '', file = '', what = ''] = fault.head
    group.faults.push({ id, what, file: `${folder}/${file}`, find: fault.found.join('\n'), replace: fault.replaced.join('\n') })
    fault = null
  }
  for (const line of lines) {
    const [, key, value = ''] = /^(unit|contract|routes|in): (.*)$/.exec(line) ?? []
    if (fault && /^[-+]( |$)/.test(line)) fault[line.startsWith('-') ? 'found' : 'replaced'].push(line.slice(2))
    else {
      close()
      if (key === 'in') folder = value
      else if (key) group[key as 'unit'] = value.split(' ')
      else fault = { head: line.split(' | '), found: [], replaced: [] }
    }
  }
  close()
  return group
}

const names = readdirSync(import.meta.dirname).filter(name => name.endsWith('.txt'))

export const FAULT_GROUPS: readonly FaultGroup[] = names.flatMap(name =>
  `\n${readFileSync(join(import.meta.dirname, name), 'utf8')}`.split('\n= ').slice(1).map(parseGroup),
)
