/** A planted fault: a small change of the code that some test must notice. `scripts/planted-faults.ts` applies them, one at a time. */
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
  unit: readonly string[]
  /** Contract tests below `tests`. They run one after the other until one fails, so those that are most likely to fail come first. */
  contract: readonly string[]
  /** Ids of the routes that the code serves: of the tests of all routes, those of these routes run. */
  routes: readonly string[]
  faults: readonly PlantedFault[]
}

type Row = readonly [id: string, what: string, file: string, find: string, replace: string]

/** Builds the faults of one folder from rows of a table. */
export const faultsIn = (folder: string, rows: readonly Row[]): PlantedFault[] =>
  rows.map(([id, what, file, find, replace]) => ({ id, what, file: `${folder}/${file}`, find, replace }))
