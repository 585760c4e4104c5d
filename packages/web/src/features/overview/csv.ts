/** Table that is shown and saved. */
export type Cell = string | number | null

export interface Sheet {
  columns: string[]
  rows: Cell[][]
  /** True if the first column has ISO dates. They are formatted on the screen, but not in the file. */
  hasDates?: boolean
}

/** Replaces characters in the names of datasets and questions that are not allowed in file names. */
export const toFileName = (...parts: string[]): string =>
  `${parts
    .join('-')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 100)}.csv`
