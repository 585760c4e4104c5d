/** Question templates for common tasks. Titles and labels are in the user's language. */
import type { Question } from '@postil/domain/questions'
import type { QuestionOption } from '@postil/domain/questions/options'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import type { MessageKey } from '../i18n/i18n.ts'
import { markedFieldOf, NEW_SETTINGS, toLabels, toManyLabels, toRating, toSpans, toText } from '../questions/new-settings.ts'
import { type ColumnUse, freeName, type Plan, type QuestionPlan, type SourceColumn, usesWith } from './plan.ts'

export const TEMPLATES = [
  'classification',
  'multi_label',
  'preference',
  'chat_rating',
  'entities',
  'translation',
  'correction',
] as const
export type Template = (typeof TEMPLATES)[number]

export type Translate = (key: MessageKey) => string

export const optionsFrom = (values: readonly string[]): QuestionOption[] =>
  [...new Set(values.map(value => value.trim()))]
    .filter(value => value !== '' && value.length <= 200)
    .map(value => ({ value, text: value, description: null }))

/** Text fields in the order of the plan, for spans and corrections. */
export const textFieldsOf = (plan: Plan): ColumnUse[] =>
  usesWith(plan, 'field').filter(({ kind }) => kind === 'text' || kind === 'markdown')

interface TemplateOptions {
  /** Column whose values become the labels and are used as suggestions. */
  labelsFrom?: SourceColumn | undefined
}

type NewQuestion = [name: string, title: MessageKey, settings: Question['settings'], required?: boolean]

interface Makers {
  /** Returns the labels of the chosen column, or the given defaults. */
  choices(...labels: [value: string, text: MessageKey][]): QuestionOption[]
  /** Name of the field in which spans are marked. */
  spanField: string
}

/** Questions are required by default. */
const QUESTIONS: Readonly<Record<Template, (make: Makers) => NewQuestion[]>> = {
  classification: ({ choices }) => [
    ['label', 'wizard.q_label', toLabels(choices(['yes', 'wizard.l_yes'], ['no', 'wizard.l_no'], ['unsure', 'wizard.l_unsure']))],
  ],
  multi_label: ({ choices }) => [
    [
      'labels',
      'wizard.q_labels',
      toManyLabels(choices(['first', 'wizard.l_first'], ['second', 'wizard.l_second'], ['third', 'wizard.l_third'])),
    ],
  ],
  preference: ({ choices }) => [
    [
      'preference',
      'wizard.q_preference',
      toLabels(choices(['a', 'wizard.l_a'], ['b', 'wizard.l_b'], ['tie', 'wizard.l_tie'], ['neither', 'wizard.l_neither'])),
    ],
    ['reason', 'wizard.q_reason', toText(), false],
  ],
  chat_rating: () => [
    ['rating', 'wizard.q_rating', toRating(1, 5)],
    ['comment', 'wizard.q_comment', toText(), false],
  ],
  entities: ({ choices, spanField }) => [
    [
      'entities',
      'wizard.q_entities',
      toSpans(
        spanField,
        choices(
          ['person', 'wizard.l_person'],
          ['organization', 'wizard.l_organization'],
          ['place', 'wizard.l_place'],
          ['date', 'wizard.l_date'],
        ),
      ),
    ],
  ],
  translation: ({ choices }) => [
    ['quality', 'wizard.q_quality', toRating(1, 5)],
    [
      'errors',
      'wizard.q_errors',
      toManyLabels(
        choices(
          ['meaning', 'wizard.l_meaning'],
          ['missing', 'wizard.l_missing'],
          ['grammar', 'wizard.l_grammar'],
          ['style', 'wizard.l_style'],
        ),
      ),
      false,
    ],
    ['better_translation', 'wizard.q_better_translation', toText(), false],
  ],
  correction: () => [['correction', 'wizard.q_correction', toText()]],
}

/** Returns the plan with the questions of a template appended. */
export function withTemplate(plan: Plan, template: Template, words: Translate, { labelsFrom }: TemplateOptions = {}): Plan {
  const given = optionsFrom(labelsFrom?.distinct ?? [])
  const choices: Makers['choices'] = (...labels) =>
    given.length >= 2 ? given : labels.map(([value, text]) => ({ value, text: words(text), description: null }))
  const marked = plan.questions.map(({ settings }) => markedFieldOf(settings))
  const fields = textFieldsOf(plan).map(({ target }) => target)
  const spanField = fields.find(field => !marked.includes(field)) ?? fields[0] ?? ''
  const added: QuestionPlan[] = []
  for (const [name, title, settings, required = true] of QUESTIONS[template]({ choices, spanField })) {
    const taken = [...plan.questions, ...added].map(question => question.name)
    added.push({ name: freeName(name, taken), title: words(title), description: '', required, settings })
  }
  return connect({ ...plan, questions: [...plan.questions, ...added] }, template, added[0], labelsFrom)
}

/** Maps a column to the suggestions of the template: the label column, or the text to be corrected. */
function connect(plan: Plan, template: Template, question: QuestionPlan | undefined, labelsFrom: SourceColumn | undefined): Plan {
  if (question === undefined) return plan
  if (template === 'correction') {
    const field = textFieldsOf(plan)[0]
    return field && field.column !== null
      ? { ...plan, uses: [...plan.uses, { ...field, role: 'suggestion', target: question.name }] }
      : plan
  }
  const isAnswer = template === 'classification' || template === 'multi_label' || template === 'preference'
  return labelsFrom && isAnswer ? suggestFrom(plan, labelsFrom.name, question.name) : plan
}

/** Uses the column for suggestions of a question. Adds a second use if the column already has another role. */
export function suggestFrom(plan: Plan, column: string, question: string): Plan {
  const at = plan.uses.findIndex(
    use => use.column === column && (use.role === 'ignore' || (use.role === 'suggestion' && use.target === '')),
  )
  if (at >= 0)
    return {
      ...plan,
      uses: plan.uses.map((use, index) => (index === at ? { ...use, role: 'suggestion', target: question } : use)),
    }
  const other = plan.uses.find(use => use.column === column)
  return other ? { ...plan, uses: [...plan.uses, { ...other, role: 'suggestion', target: question }] } : plan
}

/** Adds an empty question of the given type. */
export function withQuestion(plan: Plan, type: QuestionTypeName, words: Translate): Plan {
  const two: QuestionOption[] = [
    { value: 'first', text: words('wizard.l_first'), description: null },
    { value: 'second', text: words('wizard.l_second'), description: null },
  ]
  const taken = plan.questions.map(({ name }) => name)
  const titles = plan.questions.map(({ title }) => title)
  const question: QuestionPlan = {
    name: freeName('question', taken),
    title: freeName(words('wizard.q_new'), titles, ' '),
    description: '',
    required: plan.questions.length === 0,
    settings: NEW_SETTINGS[type](two, textFieldsOf(plan)[0]?.target ?? ''),
  }
  return { ...plan, questions: [...plan.questions, question] }
}

/** Removes a question. Columns used only for it are ignored again; columns with several uses lose this one. */
export function withoutQuestion(plan: Plan, name: string): Plan {
  const isOf = (use: ColumnUse) =>
    use.target === name && (['suggestion', 'score', 'agent', 'response'] as const).some(role => role === use.role)
  const questions = plan.questions.filter(question => question.name !== name)
  const isUsedElsewhere = (use: ColumnUse) => plan.uses.some(other => other !== use && other.column === use.column)
  const uses = plan.uses.flatMap(use => {
    if (!isOf(use)) return [use]
    return isUsedElsewhere(use) ? [] : [{ ...use, role: 'ignore' as const, target: '' }]
  })
  return { ...plan, questions, uses }
}

/** Renames a question and updates the columns mapped to it. */
export function withRenamedQuestion(plan: Plan, from: string, question: QuestionPlan): Plan {
  const isOf = (use: ColumnUse) => use.target === from && ['suggestion', 'score', 'agent', 'response'].includes(use.role)
  return {
    ...plan,
    questions: plan.questions.map(one => (one.name === from ? question : one)),
    uses: plan.uses.map(use => (isOf(use) ? { ...use, target: question.name } : use)),
  }
}

/** Removes the column mapping for suggestions of the question. */
export function withoutSuggestion(plan: Plan, question: string): Plan {
  const isOf = (use: ColumnUse) => use.role === 'suggestion' && use.target === question
  const uses = plan.uses.flatMap(use => {
    if (!isOf(use)) return [use]
    const isUsedElsewhere = plan.uses.some(other => other !== use && other.column === use.column)
    return isUsedElsewhere ? [] : [{ ...use, role: 'ignore' as const, target: '' }]
  })
  return { ...plan, uses }
}
