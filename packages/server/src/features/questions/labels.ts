/** Changes labels of a question that has answers: adds labels, counts the uses of a label, and replaces it. */
import { LABEL_USES_MAX, type LabelMigration, type LabelUses, type OptionsAdd } from '@postil/domain/dataset-changes'
import { allow, conflict, invalid } from '@postil/domain/errors'
import type { Job } from '@postil/domain/jobs'
import { quoted } from '@postil/domain/message-values'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Question } from '@postil/domain/questions'
import { addLabels, type LabelRules, type LabelSettings, replaceLabel } from '@postil/domain/questions/labels'
import { type QuestionSettings, questionTypeOf } from '@postil/domain/questions/registry'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { Queryable } from '../../storage/database.ts'
import { changeItem } from '../datasets/change-settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { findOpenMigration, listNextRecordNos, listResponsesWith, listSuggestionsWith } from './label-store.ts'
import * as store from './store.ts'

/** Adds labels, in drafts and published datasets. */
export function addQuestionOptions(ctx: RequestContext, id: Id, { options }: OptionsAdd): Promise<Question> {
  return changeItem(ctx, id, {
    what: 'questions',
    load: store.loadQuestion,
    check: (tx, question) => checkNoMigration(tx, question.id),
    patch: question => {
      const { rules, settings } = labelsOf(question)
      return withSettings(question, addLabels(settings, options, rules.max(ctx.config)))
    },
    save: store.updateQuestion,
  })
}

/**
 * Removes a label from a question immediately, so that it cannot be used in new answers. A job replaces it in existing responses
 * and suggestions. On PostgreSQL, writers of responses hold a shared lock on the dataset, so every response with the label is
 * committed before the job starts.
 */
export async function migrateQuestionOption(ctx: RequestContext, id: Id, { from, to }: LabelMigration): Promise<Job> {
  const jobId = ctx.newId()
  await changeItem(ctx, id, {
    what: 'questions',
    load: store.loadQuestion,
    check: (tx, question) => checkNoMigration(tx, question.id),
    patch: question => {
      const { rules, settings } = labelsOf(question)
      return withSettings(question, replaceLabel(settings, from, to, rules.min))
    },
    save: store.updateQuestion,
    also: (tx, question, dataset) =>
      enqueue(tx, {
        id: jobId,
        now: ctx.now(),
        name: 'migrate-label',
        payload: {
          dataset_id: dataset.id,
          question_id: question.id,
          actor_id: ctx.actor.id,
          from,
          to,
          after: 0,
          done: 0,
          total: dataset.records_count,
        },
      }),
    details: { label: { from, to } },
  })
  return { id: jobId, status: 'queued' }
}

/** Counts the responses and suggestions that contain a label. */
export function getOptionUses(ctx: RequestContext, id: Id, label: string): Promise<LabelUses> {
  return ctx.db.snapshot(async db => {
    const question = await store.loadStoredQuestion(db, id)
    allow(canChangeDataset(ctx.actor, await loadDataset(db, question.dataset_id)))
    return countUses(db, question, label)
  })
}

/** Records per statement. */
const WINDOW = 2_000

async function countUses(db: Queryable, question: store.StoredQuestion, label: string): Promise<LabelUses> {
  const { rules } = labelsOf(question)
  const isUsed = (value: string) => rules.replace(JSON.parse(value), label, null) !== undefined
  const isAnswered = (values: string) => {
    const answer = JSON.parse(values)[question.name]
    return answer !== undefined && rules.replace(answer.value, label, null) !== undefined
  }
  const uses = { responses: 0, suggestions: 0 }
  let after = 0
  while (uses.responses < LABEL_USES_MAX && uses.suggestions < LABEL_USES_MAX) {
    const nos = await listNextRecordNos(db, question.dataset_id, { after, limit: WINDOW })
    const responses = await listResponsesWith(db, nos, label)
    const suggestions = await listSuggestionsWith(db, nos, question.no, label)
    uses.responses += responses.filter(({ values }) => isAnswered(values)).length
    uses.suggestions += suggestions.filter(({ value }) => isUsed(value)).length
    if (nos.length < WINDOW) return { ...uses, is_complete: true }
    after = nos.at(-1) as number
  }
  return { ...uses, is_complete: false }
}

export function labelsOf({ name, settings }: Pick<Question, 'name' | 'settings'>): {
  rules: LabelRules
  settings: LabelSettings
} {
  const rules = questionTypeOf(settings).labels
  if (rules) return { rules, settings: settings as LabelSettings }
  throw invalid(`Question ${quoted(name)} has no labels: it is of the type \`${settings.type}\``)
}

const withSettings = (question: Question, settings: LabelSettings): Question => ({
  ...question,
  settings: settings as QuestionSettings,
})

/** Two concurrent jobs could restore a label that one of them has already replaced. */
async function checkNoMigration(db: Queryable, questionId: Id): Promise<void> {
  const status = await findOpenMigration(db, questionId)
  if (status === 'failed') {
    throw conflict('A job that replaced a label of this question has failed: an owner has to run it again first (Jobs)')
  }
  if (status !== null) throw conflict('A job is replacing a label of this question: wait until it is done')
}
