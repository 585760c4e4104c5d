/** Stores the words of records, one record after the other. */
import { tokenize } from '@postil/domain/search/tokens'
import { ensureLength } from '../../search/grow.ts'
import { TermTable } from '../../search/segments/term-table.ts'

/** Approximate memory of a word and of a posting. */
const BYTES = { word: 60, posting: 5 }

export function createRecordWords() {
  const terms = new TermTable()
  /** Word numbers of all records; `starts` contains the position of each record. */
  let numbers = new Uint32Array(4_096)
  const starts = [0]
  /** The last record with this word, plus 1, by word number. */
  let lastSeen = new Uint32Array(1_024)

  return {
    bytes: () => BYTES.word * terms.size + BYTES.posting * (starts.at(-1) ?? 0),
    /** Adds the words of the record with the next ordinal. */
    add: (text: string): void => {
      const ordinal = starts.length - 1
      let end = starts[ordinal] ?? 0
      for (const word of tokenize(text)) {
        const number = terms.add(word)
        if (number >= lastSeen.length) lastSeen = ensureLength(lastSeen, number + 1)
        if (lastSeen[number] === ordinal + 1) continue
        lastSeen[number] = ordinal + 1
        if (end >= numbers.length) numbers = ensureLength(numbers, end + 1)
        numbers[end++] = number
      }
      starts.push(end)
    },
    numberOf: (word: string): number => terms.find(word),
    numbersOf: (test: (word: string) => boolean): number[] =>
      Array.from({ length: terms.size }, (_, number) => number).filter(number => test(wordOf(terms, number))),
    fill: (lists: ReadonlyMap<number, number[][]>): void => {
      const isWanted = new Uint8Array(terms.size)
      for (const number of lists.keys()) isWanted[number] = 1
      let ordinal = 0
      for (let i = 0, end = starts.at(-1) ?? 0; i < end; i++) {
        if (isWanted[numbers[i] as number] !== 1) continue
        while ((starts[ordinal + 1] as number) <= i) ordinal++
        for (const list of lists.get(numbers[i] as number) ?? []) if (list[list.length - 1] !== ordinal) list.push(ordinal)
      }
    },
  }
}

function wordOf({ units, starts }: TermTable, number: number): string {
  const [start, end] = [starts[number] ?? 0, starts[number + 1] ?? 0]
  return Buffer.from(units.buffer, 2 * start, 2 * (end - start)).toString('utf16le')
}
