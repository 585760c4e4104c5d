import { checkOrder } from '@postil/domain/dataset-changes'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { announceSettingsChange, loadChangeable } from '../datasets/change-settings.ts'
import { listQuestions, toQuestion, updatePositions } from './store.ts'

/** Sets the order of all questions of a dataset. The current order is not written again. */
export function setQuestionsOrder(ctx: RequestContext, datasetId: Id, ids: readonly Id[]): Promise<{ items: Question[] }> {
  return write(ctx, async tx => {
    const dataset = await loadChangeable(ctx, tx, datasetId)
    const questions = await listQuestions(tx, dataset.id)
    checkOrder(questions, ids)
    if (questions.every(({ id }, index) => id === ids[index])) return { items: questions.map(toQuestion) }

    await updatePositions(tx, ids)
    await announceSettingsChange(tx, dataset.id, 'questions')
    const details = { changed: ['questions_order'] }
    await audit(tx, ctx, { action: 'dataset.updated', target: dataset, workspaceId: dataset.workspace_id, details })
    return { items: (await listQuestions(tx, dataset.id)).map(toQuestion) }
  })
}
