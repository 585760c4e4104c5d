/** Documents to one segment. */
import { PIECE_BREAK, tokenize } from '@postil/domain/search/tokens'
import type { TextDocument } from '../engine.ts'
import { ByteWriter, toUnsigned } from './bytes.ts'
import { FieldWriter, TERM_UNITS_MAX } from './field-writer.ts'
import { assemble } from './format.ts'

/** The tokens of one field of all documents, one after the other. */
interface Occurrences {
  numbers: Map<string, number>
  /** The number of each token, and the document it stands in. */
  terms: Uint32Array
  documents: Uint32Array
  count: number
  /** By document: where its tokens begin. */
  starts: Uint32Array
}

export function buildSegment(documents: readonly TextDocument[]): Uint8Array<ArrayBuffer> {
  const fieldCount = documents[0]?.pieces.length ?? 0
  if (documents.some(({ pieces }) => pieces.length !== fieldCount)) {
    throw new Error('The documents of a text segment have different numbers of fields')
  }
  const fields = Array.from({ length: fieldCount }, (_, i) => writeField(documents.map(({ pieces }) => pieces[i] ?? [])))
  const recordNos = writeRecordNos(documents.map(({ recordNo }) => recordNo))
  const steps = assemble(documents.length, recordNos, fields)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export function writeRecordNos(recordNos: Iterable<number>): ByteWriter {
  const writer = new ByteWriter()
  let last = 0
  for (const recordNo of recordNos) {
    writer.varint(toUnsigned(recordNo - last))
    last = recordNo
  }
  return writer
}

function writeField(texts: readonly (readonly string[])[]): FieldWriter {
  const writer = new FieldWriter()
  const occurrences = collect(texts, writer)
  const { numbers } = occurrences
  const { ends, places } = groupByTerm(occurrences)
  const units = new Uint16Array(TERM_UNITS_MAX)
  for (const term of [...numbers.keys()].sort()) {
    const number = numbers.get(term) as number
    writePostings(writer, occurrences, places, number === 0 ? 0 : (ends[number - 1] as number), ends[number] as number)
    for (let i = 0; i < term.length; i++) units[i] = term.charCodeAt(i)
    writer.endTerm(units, term.length)
  }
  return writer
}

function collect(texts: readonly (readonly string[])[], writer: FieldWriter): Occurrences {
  const numbers = new Map<string, number>()
  const starts = new Uint32Array(texts.length)
  let terms = new Uint32Array(1024)
  let documents = new Uint32Array(1024)
  let count = 0
  const add = (token: string, document: number) => {
    if (count === terms.length) {
      terms = grown(terms)
      documents = grown(documents)
    }
    let number = numbers.get(token)
    if (number === undefined) {
      number = numbers.size
      numbers.set(token, number)
    }
    terms[count] = number
    documents[count++] = document
  }
  texts.forEach((pieces, document) => {
    starts[document] = count
    let words = 0
    for (const piece of pieces) {
      const tokens = tokenize(piece)
      if (tokens.length > 0 && words > 0) add(PIECE_BREAK, document)
      for (const token of tokens) add(token, document)
      words += tokens.length
    }
    writer.addLength(words)
  })
  return { numbers, terms, documents, count, starts }
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

/** The occurrences sorted by term, each term's in their order. `ends` holds where those of each term end. */
function groupByTerm({ numbers, terms, count }: Occurrences): { ends: Uint32Array; places: Uint32Array } {
  const ends = new Uint32Array(numbers.size)
  for (let i = 0; i < count; i++) ends[terms[i] as number] = (ends[terms[i] as number] as number) + 1
  let sum = 0
  for (let i = 0; i < ends.length; i++) {
    const size = ends[i] as number
    ends[i] = sum
    sum += size
  }
  const places = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const term = terms[i] as number
    places[ends[term] as number] = i
    ends[term] = (ends[term] as number) + 1
  }
  return { ends, places }
}

function writePostings(
  writer: FieldWriter,
  { documents, starts }: Occurrences,
  places: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; ) {
    const document = documents[places[i] as number] as number
    const first = i
    let last = (starts[document] as number) - 1
    for (; i < to && documents[places[i] as number] === document; i++) {
      writer.positions.varint((places[i] as number) - last - 1)
      last = places[i] as number
    }
    writer.addPosting(document, i - first)
  }
}
