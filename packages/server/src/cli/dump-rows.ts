/** Counts the rows of a dump in the output of `pg_restore`, which has a block of lines for each table. */

const NEWLINE = 10
/** Length of a line's beginning that is enough to recognize where a block begins and ends. */
const HEAD_BYTES = 256

export function createRowCounter() {
  const rows = new Map<string, number>()
  let table: string | null = null
  let head = Buffer.alloc(0)

  const endLine = () => {
    const text = head.toString('utf8')
    head = Buffer.alloc(0)
    if (table === null) {
      table = /^COPY (?:"?\w+"?\.)?"?(\w+)"? .*/.exec(text)?.[1] ?? null
      if (table !== null) rows.set(table, 0)
    } else if (text === '\\.') table = null
    else rows.set(table, (rows.get(table) ?? 0) + 1)
  }

  return {
    rows,
    /** Each line is a row: line breaks in values are escaped as `\n`. */
    add: (bytes: Buffer): void => {
      let from = 0
      for (;;) {
        const end = bytes.indexOf(NEWLINE, from)
        const part = bytes.subarray(from, Math.min(end === -1 ? bytes.length : end, from + HEAD_BYTES))
        if (head.length === 0) head = Buffer.from(part)
        else if (head.length < HEAD_BYTES) head = Buffer.concat([head, part])
        if (end === -1) return
        endLine()
        from = end + 1
      }
    },
  }
}
