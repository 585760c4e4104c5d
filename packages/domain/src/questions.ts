import { QuestionSettings, QuestionSettingsCreate, QuestionSettingsUpdate } from './questions/registry.ts'
import { Bool, Id, Name, Nullable, Optional, Shape, type Static, Text, Timestamps, Title } from './schema.ts'

const Description = Nullable(Text(1, 1000))

export const Question = Shape({
  id: Id,
  name: Name,
  title: Title,
  description: Description,
  required: Bool(),
  settings: QuestionSettings,
  dataset_id: Id,
  ...Timestamps,
})
export type Question = Static<typeof Question>

export const QuestionCreate = Shape({
  name: Name,
  title: Title,
  description: Optional(Description),
  required: Optional(Nullable(Bool())),
  settings: QuestionSettingsCreate,
})
export type QuestionCreate = Static<typeof QuestionCreate>

export const QuestionUpdate = Shape(
  { title: Optional(Title), description: Optional(Description), settings: Optional(QuestionSettingsUpdate) },
  { 'x-not-null': ['title', 'settings'] },
)
export type QuestionUpdate = Static<typeof QuestionUpdate>
