/**
 * Skeletons of names after Unicode's UTS #39: two names with the same skeleton look alike.
 *
 * The server stores a hash of each skeleton. A change of this function, or of its table, needs a migration that fills the column again.
 */
import { CONFUSABLES } from './confusables-table.ts'

/** Characters without a shape of their own. Names from before the rule may contain them. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}]/gu

/** Built at the first use, because most threads never need it. */
let table: ReadonlyMap<string, string> | undefined

export function skeletonOf(name: string): string {
  table ??= readTable()
  const looks = table
  const visible = name.normalize('NFD').replaceAll(/\s+/g, ' ').replaceAll(IGNORED, '')
  const mapped = Array.from(visible, char => looks.get(char) ?? char).join('')
  // Browsers show several spaces as one.
  return mapped.normalize('NFD').replaceAll(/\s+/g, ' ').trim()
}

function readTable(): Map<string, string> {
  const read = new Map<string, string>()
  for (const group of CONFUSABLES.trim().split(/\s+/)) {
    const [target = '', sources = ''] = group.split('=')
    const text = String.fromCodePoint(...target.split('+').map(toNumber))
    let code = 0
    for (const step of sources.split(',')) {
      code += toNumber(step)
      read.set(String.fromCodePoint(code), text)
    }
  }
  return read
}

const toNumber = (digits: string) => Number.parseInt(digits, 36)
