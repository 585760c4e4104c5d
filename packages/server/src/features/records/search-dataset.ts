import { metadataTypeOf } from '@postil/domain/metadata/registry'
import type { SearchDataset } from '@postil/domain/search/targets'
import type { DatasetSettings } from '../datasets/settings.ts'

/** Returns the properties of a dataset that are needed to validate a search. */
export function toSearchDataset(settings: DatasetSettings): SearchDataset {
  return {
    fields: settings.fields,
    questions: settings.questions.map(({ id, name }) => ({
      id,
      name,
      searchAs: settings.rules.questionsById.get(id)?.type.searchAs ?? 'none',
    })),
    metadata_properties: settings.metadataProperties.map(property => ({
      ...property,
      searchAs: metadataTypeOf(property.settings).searchAs,
    })),
    vectors_settings: settings.vectorsSettings,
  }
}
