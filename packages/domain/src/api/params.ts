import { Id, Shape, Text } from '../schema.ts'

/** Path parameters, named as in the paths. */
export const DatasetParams = Shape({ dataset_id: Id })
export const FieldParams = Shape({ field_id: Id })
export const JobParams = Shape({ job_id: Text() })
export const MetadataPropertyParams = Shape({ metadata_property_id: Id })
export const QuestionParams = Shape({ question_id: Id })
export const RecordParams = Shape({ record_id: Id })
export const ResponseParams = Shape({ response_id: Id })
export const SuggestionParams = Shape({ suggestion_id: Id })
export const UserParams = Shape({ user_id: Id })
export const VectorsSettingsParams = Shape({ vectors_settings_id: Id })
export const WorkspaceParams = Shape({ workspace_id: Id })
export const WorkspaceUserParams = Shape({ workspace_id: Id, user_id: Id })
export const DatasetFieldParams = Shape({ dataset_id: Id, field_id: Id })
export const DatasetQuestionParams = Shape({ dataset_id: Id, question_id: Id })
