import type { Json } from './schema.ts'

/** Values by field name. Read with `own`: a name may be `constructor`. */
export type RecordFields = { [field: string]: Json }
