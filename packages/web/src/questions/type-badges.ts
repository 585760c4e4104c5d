/** Icons and names of the question types, separate from the widgets, so that lists of datasets do not load any form. */
import { CircleDot, Highlighter, ListOrdered, SquareCheck, Star, Type } from '@lucide/vue'
import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import type { QuestionWidget } from './question-widget.ts'

export type QuestionBadge = Pick<QuestionWidget, 'icon' | 'typeName'>

export const QUESTION_BADGES: Readonly<Record<QuestionTypeName, QuestionBadge>> = {
  text: { icon: Type, typeName: 'questions.type_text' },
  rating: { icon: Star, typeName: 'questions.type_rating' },
  label_selection: { icon: CircleDot, typeName: 'questions.type_label_selection' },
  multi_label_selection: { icon: SquareCheck, typeName: 'questions.type_multi_label_selection' },
  ranking: { icon: ListOrdered, typeName: 'questions.type_ranking' },
  span: { icon: Highlighter, typeName: 'span.type_name' },
}

export const questionBadgeOf = ({ settings }: Pick<Question, 'settings'>): QuestionBadge => QUESTION_BADGES[settings.type]
