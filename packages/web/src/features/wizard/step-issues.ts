/** Issues that block the next step of the wizard. */
import { codePointLength } from '@postil/domain/code-points'
import type { DatasetPlan } from '../../mapping/plan.ts'
import { mappingIssues, type PlanIssue, questionIssues, targetIssues } from '../../mapping/plan-issues.ts'
import type { RunSource, Step } from './stored-runs.ts'

const GUIDELINES_MAX = 10_000
const NAME_MAX = 200

export interface StepContext {
  source: RunSource | null
  /** True if the columns are known. */
  isRead: boolean
  isUploaded: boolean
  plan: DatasetPlan
  isNameTaken: boolean
  /** Required fields of the existing dataset; null for a new dataset. */
  required: readonly string[] | null
}

export function stepIssues(step: Step, { source, isRead, isUploaded, plan, isNameTaken, required }: StepContext): PlanIssue[] {
  switch (step) {
    case 'source':
      if (source === null) return [{ key: 'wizard.issue_no_source' }]
      if (source.kind === 'empty' || isRead) return []
      return [{ key: isUploaded ? 'wizard.issue_reading' : 'wizard.issue_uploading' }]
    case 'map':
      return required === null ? mappingIssues(plan) : targetIssues(plan, required)
    case 'questions':
      return questionIssues(plan)
    case 'people':
      return isNameTaken ? [...peopleIssues(plan), { key: 'wizard.issue_name_taken' }] : peopleIssues(plan)
    case 'check':
      return []
  }
}

function peopleIssues({ name, workspace, guidelines, minSubmitted }: DatasetPlan): PlanIssue[] {
  const issues: PlanIssue[] = []
  const length = codePointLength(name.trim())
  if (length === 0) issues.push({ key: 'wizard.issue_dataset_name' })
  if (length > NAME_MAX) issues.push({ key: 'wizard.issue_name_long', values: { name: name.slice(0, 40), max: NAME_MAX } })
  if (workspace === null) issues.push({ key: 'wizard.issue_workspace' })
  if (!Number.isSafeInteger(minSubmitted) || minSubmitted < 1) issues.push({ key: 'wizard.issue_min_submitted' })
  const over = codePointLength(guidelines.trim()) - GUIDELINES_MAX
  if (over > 0) issues.push({ key: 'wizard.issue_guidelines', values: { max: GUIDELINES_MAX, over } })
  return issues
}
