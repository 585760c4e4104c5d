/** Settings of the legacy routes: a part of `SETTINGS`. */
import { integer } from './setting-kinds.ts'

export const LEGACY_SETTINGS = {
  legacyMetadataKeysMax: integer('METADATA_FIELDS_LIMIT', 50, [1, 100], 'Metadata keys of all records of a legacy dataset.'),
  legacyMetadataLengthMax: integer(
    'METADATA_FIELD_LENGTH',
    128,
    [1, 100_000],
    'Characters that are kept of a metadata text in a legacy dataset; of a longer one the last.',
  ),
  legacyVectorsMax: integer('VECTORS_FIELDS_LIMIT', 5, [1, 100], 'Vectors of a legacy dataset.'),
}
