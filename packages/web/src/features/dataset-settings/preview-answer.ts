/**
 * Answer of a question in the preview: a sample suggestion, treated according to the dataset's mode, or the value that the user
 * tried out.
 */
import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import type { SuggestionMode } from '../../dataset-options.ts'
import type { QuestionWidget } from '../../questions/question-widget.ts'

export interface PreviewAnswer {
  value: unknown
  isPencil: boolean
  suggestion: Suggestion | null
}

type SampleSource = Pick<QuestionWidget, 'sample' | 'fromSuggestion'>

function toSampleSuggestion(question: Question, widget: SampleSource): Suggestion | null {
  const sample = widget.sample?.(question)
  if (!sample) return null
  const { id, inserted_at, updated_at } = question
  return { id: `preview-${id}`, question_id: id, type: 'model', agent: null, inserted_at, updated_at, ...sample }
}

/** `tried`: values by question name; null if the answer was cleared. */
export function previewAnswer(
  question: Question,
  widget: SampleSource,
  mode: SuggestionMode,
  tried: ReadonlyMap<string, unknown>,
): PreviewAnswer {
  const invented = toSampleSuggestion(question, widget)
  const given = tried.get(question.name)
  const isUntouched = given === undefined
  const suggested = isUntouched && invented && mode === 'prefill' ? widget.fromSuggestion(invented, question) : null
  const value = given ?? suggested
  return { value, isPencil: suggested !== null, suggestion: mode === 'hide' && value === null ? null : invented }
}
