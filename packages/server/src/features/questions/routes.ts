import * as changes from '@postil/domain/api/dataset-changes'
import * as api from '@postil/domain/api/dataset-settings'
import { type Served, serve } from '../../http/serve.ts'
import { createQuestion } from './create.ts'
import { deleteQuestion } from './delete.ts'
import { addQuestionOptions, getOptionUses, migrateQuestionOption } from './labels.ts'
import { listQuestions } from './list.ts'
import { setQuestionsOrder } from './order.ts'
import { setQuestionRequired } from './require.ts'
import { updateQuestion } from './update.ts'

export const questionRoutes: Served[] = [
  serve(api.listQuestions, (ctx, { params }) => listQuestions(ctx, params.dataset_id)),
  serve(api.createQuestion, (ctx, { params, body }) => createQuestion(ctx, params.dataset_id, body)),
  serve(api.updateQuestion, (ctx, { params, body }) => updateQuestion(ctx, params.question_id, body)),
  serve(api.deleteQuestion, (ctx, { params }) => deleteQuestion(ctx, { id: params.question_id })),
  serve(api.deleteDatasetQuestion, (ctx, { params: { question_id: id, dataset_id: datasetId } }) =>
    deleteQuestion(ctx, { id, datasetId }),
  ),
  serve(changes.setQuestionRequired, (ctx, { params, body }) => setQuestionRequired(ctx, params.question_id, body.required)),
  serve(changes.setQuestionsOrder, (ctx, { params, body }) => setQuestionsOrder(ctx, params.dataset_id, body.question_ids)),
  serve(changes.addQuestionOptions, (ctx, { params, body }) => addQuestionOptions(ctx, params.question_id, body)),
  serve(changes.getOptionUses, (ctx, { params, query }) => getOptionUses(ctx, params.question_id, query.value)),
  serve(changes.migrateQuestionOption, (ctx, { params, body }) => migrateQuestionOption(ctx, params.question_id, body)),
]
