import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import { labelSelectionWidget } from './label-selection/label-selection.ts'
import { multiLabelSelectionWidget } from './multi-label-selection/multi-label-selection.ts'
import type { QuestionWidget } from './question-widget.ts'
import { rankingWidget } from './ranking/ranking.ts'
import { ratingWidget } from './rating/rating.ts'
import { spanWidget } from './span/span.ts'
import { textWidget } from './text/text.ts'

/** Display, answer form and settings form of each question type. */
export const QUESTION_WIDGETS: Readonly<Record<QuestionTypeName, QuestionWidget>> = {
  text: textWidget,
  rating: ratingWidget,
  label_selection: labelSelectionWidget,
  multi_label_selection: multiLabelSelectionWidget,
  ranking: rankingWidget,
  span: spanWidget,
}

export const widgetOf = ({ settings }: Pick<Question, 'settings'>): QuestionWidget => QUESTION_WIDGETS[settings.type]
