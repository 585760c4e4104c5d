/** Validates a plan before it is sent to the server. */
import { codePointLength } from '@postil/domain/code-points'
import type { MessageKey } from '../i18n/i18n.ts'
import type { MessageArguments } from '../i18n/message.ts'
import { countOptions, markedFieldOf, OPTIONS_MIN } from '../questions/new-settings.ts'
import { isAboutQuestion, type Plan, usesWith } from './plan.ts'

export interface PlanIssue {
  key: MessageKey
  values?: MessageArguments
}

const NAME_MAX = 200
/** Limit of the server. */
export const VECTORS_MAX = 5

/** Issues of fields, metadata, vectors and the id. */
export function mappingIssues(plan: Plan): PlanIssue[] {
  const issues: PlanIssue[] = []
  const fields = usesWith(plan, 'field')
  if (fields.length === 0) issues.push({ key: 'wizard.issue_no_field' })
  else if (!fields.some(({ required }) => required)) issues.push({ key: 'wizard.issue_no_required_field' })
  for (const role of ['field', 'metadata', 'vector'] as const)
    issues.push(...nameIssues(usesWith(plan, role).map(({ target }) => target)))
  if (usesWith(plan, 'vector').length > VECTORS_MAX) issues.push({ key: 'wizard.issue_vectors', values: { max: VECTORS_MAX } })
  for (const role of ['external_id', 'user'] as const)
    if (usesWith(plan, role).length > 1) issues.push({ key: `wizard.issue_two_${role}` })
  return issues
}

/** Issues of questions and the columns mapped to them. */
export function questionIssues(plan: Plan): PlanIssue[] {
  const issues: PlanIssue[] = []
  if (plan.questions.length === 0) return [{ key: 'wizard.issue_no_question' }]
  if (!plan.questions.some(({ required }) => required)) issues.push({ key: 'wizard.issue_no_required_question' })
  issues.push(...nameIssues(plan.questions.map(({ name }) => name)))
  const fields = usesWith(plan, 'field').map(({ target }) => target)
  const spanFields = plan.questions.flatMap(({ settings }) => markedFieldOf(settings) ?? [])
  for (const { title, name, settings } of plan.questions) {
    const question = title.trim() || name
    const field = markedFieldOf(settings)
    if (field !== null && !fields.includes(field)) issues.push({ key: 'wizard.issue_span_field', values: { question } })
    const least = OPTIONS_MIN[settings.type]
    if (countOptions(settings) < least) issues.push({ key: 'wizard.issue_labels', values: { question, count: least } })
  }
  const twice = spanFields.find((field, at) => spanFields.indexOf(field) !== at)
  if (twice !== undefined) issues.push({ key: 'wizard.issue_span_twice', values: { field: twice } })
  return [...issues, ...answerIssues(plan)]
}

/** Issues of columns with suggestions, scores, agents or responses. */
export function answerIssues(plan: Plan): PlanIssue[] {
  const names = plan.questions.map(({ name }) => name)
  const issues: PlanIssue[] = []
  for (const { role, column, target } of plan.uses) {
    if (!isAboutQuestion(role)) continue
    if (!names.includes(target)) issues.push({ key: 'wizard.issue_no_target', values: { column: column ?? '' } })
  }
  for (const role of ['suggestion', 'response'] as const) {
    const targets = usesWith(plan, role).map(({ target }) => target)
    const twice = targets.find((target, at) => target !== '' && targets.indexOf(target) !== at)
    if (twice !== undefined) issues.push({ key: 'wizard.issue_two_answers', values: { question: twice } })
  }
  return issues
}

/** For an existing dataset: every target must exist, and every required field needs a column. */
export function targetIssues(plan: Plan, required: readonly string[]): PlanIssue[] {
  const fields = usesWith(plan, 'field').map(({ target }) => target)
  const issues: PlanIssue[] = required
    .filter(name => !fields.includes(name))
    .map(name => ({ key: 'wizard.issue_field_missing', values: { field: name } }))
  for (const { role, column, target } of plan.uses)
    if ((role === 'field' || role === 'metadata' || role === 'vector') && target === '')
      issues.push({ key: 'wizard.issue_no_target', values: { column: column ?? '' } })
  for (const role of ['field', 'metadata', 'vector'] as const) {
    const targets = usesWith(plan, role).map(({ target }) => target)
    const twice = targets.find((target, at) => target !== '' && targets.indexOf(target) !== at)
    if (twice !== undefined) issues.push({ key: 'wizard.issue_name_twice', values: { name: twice } })
  }
  return [...issues, ...answerIssues(plan)]
}

function nameIssues(names: readonly string[]): PlanIssue[] {
  const trimmed = names.map(name => name.trim())
  const issues: PlanIssue[] = []
  if (trimmed.includes('')) issues.push({ key: 'wizard.issue_name_empty' })
  const twice = trimmed.find((name, at) => name !== '' && trimmed.indexOf(name) !== at)
  if (twice !== undefined) issues.push({ key: 'wizard.issue_name_twice', values: { name: twice } })
  const long = trimmed.find(name => codePointLength(name) > NAME_MAX)
  if (long !== undefined) issues.push({ key: 'wizard.issue_name_long', values: { name: long.slice(0, 40), max: NAME_MAX } })
  return issues
}
