/** Builds a segment from documents. */
import { PIECE_BREAK, tokenize } from '@postil/domain/search/tokens'
import type { TextDocument } from '../engine.ts'
import { FieldWriter } from './field-writer.ts'
import { assemble } from './format.ts'
import { RecordNoWriter } from './record-nos.ts'
import { doubleCapacity, TermTable } from './term-table.ts'

/** The tokens of one field, in the order of the documents. */
interface Occurrences {
  table: TermTable
  /** The term number of each token, and the document that contains it. */
  terms: Uint32Array
  documents: Uint32Array
  count: number
  /** By document: the index of its first token. */
  starts: Uint32Array
}

export function buildSegment(documents: readonly TextDocument[]): Uint8Array<ArrayBuffer> {
  const fieldCount = documents[0]?.pieces.length ?? 0
  if (documents.some(({ pieces }) => pieces.length !== fieldCount)) {
    throw new Error('The documents of a text segment have different numbers of fields')
  }
  const fields = Array.from({ length: fieldCount }, (_, i) => writeField(documents.map(({ pieces }) => pieces[i] ?? [])))
  const recordNos = new RecordNoWriter()
  for (const { recordNo } of documents) recordNos.add(recordNo)
  const steps = assemble(documents.length, recordNos.bytes, fields)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

function writeField(texts: readonly (readonly string[])[]): FieldWriter {
  const writer = new FieldWriter()
  const occurrences = collect(texts, writer)
  const { table } = occurrences
  const { ends, places } = groupByTerm(occurrences)
  for (const term of table.sorted()) {
    writePostings(writer, occurrences, places, term === 0 ? 0 : (ends[term - 1] as number), ends[term] as number)
    writer.endTerm(table.units, table.starts[term] as number, table.starts[term + 1] as number)
  }
  return writer
}

function collect(texts: readonly (readonly string[])[], writer: FieldWriter): Occurrences {
  const table = new TermTable()
  const starts = new Uint32Array(texts.length)
  let terms = new Uint32Array(1024)
  let documents = new Uint32Array(1024)
  let count = 0
  const add = (token: string, document: number) => {
    if (count === terms.length) {
      terms = doubleCapacity(terms, Uint32Array)
      documents = doubleCapacity(documents, Uint32Array)
    }
    terms[count] = table.add(token)
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
  return { table, terms, documents, count, starts }
}

/** Sorts the occurrences by term; those of the same term stay in order. `ends` has the end of each term's occurrences. */
function groupByTerm({ table, terms, count }: Occurrences): { ends: Uint32Array; places: Uint32Array } {
  const ends = new Uint32Array(table.size)
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
