import * as api from '@postil/domain/api/dataset-settings'
import { type Served, serve } from '../../http/serve.ts'
import { createQuestion } from './create.ts'
import { deleteQuestion } from './delete.ts'
import { listQuestions } from './list.ts'
import { updateQuestion } from './update.ts'

export const questionRoutes: Served[] = [
  serve(api.listQuestions, (ctx, { params }) => listQuestions(ctx, params.dataset_id)),
  serve(api.createQuestion, (ctx, { params, body }) => createQuestion(ctx, params.dataset_id, body)),
  serve(api.updateQuestion, (ctx, { params, body }) => updateQuestion(ctx, params.question_id, body)),
  serve(api.deleteQuestion, (ctx, { params }) => deleteQuestion(ctx, { id: params.question_id })),
  serve(api.deleteDatasetQuestion, (ctx, { params: { question_id: id, dataset_id: datasetId } }) =>
    deleteQuestion(ctx, { id, datasetId }),
  ),
]
