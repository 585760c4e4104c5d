import { invalid, notUnique } from '@postil/domain/errors'
import type { Question, QuestionCreate } from '@postil/domain/questions'
import type { QuestionSettings } from '@postil/domain/questions/registry'
import { questionTypeOf } from '@postil/domain/questions/registry'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { addToDataset, checkDraft } from '../datasets/change-settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { listFields } from '../fields/store.ts'
import { insertQuestion, listQuestions } from './store.ts'

export async function createQuestion(ctx: RequestContext, datasetId: Id, given: QuestionCreate): Promise<Question> {
  const type = questionTypeOf(given.settings)
  // Validates the request body, so it runs before any lookup.
  type.checkSettings(given.settings, ctx.config)
  // The question type fills in defaults.
  const settings = type.fillSettings(given.settings) as QuestionSettings

  return addToDataset(ctx, { datasetId, what: 'questions' }, async (tx, dataset) => {
    await checkAddable(tx, dataset, { name: given.name, settings })

    const now = ctx.now()
    const question: Question = {
      id: ctx.newId(),
      name: given.name,
      title: given.title,
      description: given.description ?? null,
      required: given.required ?? false,
      settings,
      dataset_id: dataset.id,
      inserted_at: now,
      updated_at: now,
    }
    await insertQuestion(tx, question)
    return question
  })
}

/** Checks in the order that clients expect. Unlike for fields, a taken name is reported before a published dataset. */
async function checkAddable(
  tx: Tx,
  dataset: StoredDataset,
  { name, settings }: Pick<Question, 'name' | 'settings'>,
): Promise<void> {
  const questions = await listQuestions(tx, dataset.id)
  const isTaken = (item: { name: string }) => item.name === name
  if (questions.some(isTaken)) throw notUnique(`Question with name \`${name}\` already exists`, ['name'])
  checkDraft(dataset, 'Adding a question')

  const fields = await listFields(tx, dataset.id)
  if (fields.some(isTaken)) throw invalid(`\`${name}\` is the name of a field already`, ['name'])
  questionTypeOf(settings).checkReferences(settings, { fields, questions })
}
