/** Cases of the routes that change settings and records of a dataset with answers. */
import { aDataset, aRecord, idOf, SMALL } from './datasets.ts'
import type { World } from './http.ts'
import { MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const mood = async (world: World) => ({ question_id: idOf((await aDataset(world, SMALL)).questions, 'mood') })
const ofMood = (request: { body?: object; query?: string }) => async (world: World) => ({
  params: await mood(world),
  ...request,
})

export const datasetChangesCases: Record<string, RouteCases> = {
  setQuestionRequired: {
    request: async world => {
      const { questions } = await aDataset(world)
      return { params: { question_id: idOf(questions, 'topics') }, body: { required: true } }
    },
    permission: MEMBER_ADMIN,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'required']] },
      { body: { required: null }, problems: [['bool_type', 'body', 'required']] },
    ],
  },
  setQuestionsOrder: {
    request: async world => {
      const { id, questions } = await aDataset(world)
      const ids = Object.values(questions).map(question => question.id)
      return { params: { dataset_id: id }, body: { question_ids: ids.toReversed() } }
    },
    permission: MEMBER_ADMIN,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'question_ids']] },
      { body: { question_ids: [] }, problems: [['too_short', 'body', 'question_ids']] },
      { body: { question_ids: ['x'] }, problems: [['uuid_parsing', 'body', 'question_ids', 0]] },
    ],
  },
  addQuestionOptions: {
    request: ofMood({ body: { options: [{ value: 'angry', text: 'Angry', description: 'Shouts' }] } }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: { options: [] }, problems: [['too_short', 'body', 'options']] },
      {
        body: { options: [{ value: '', text: 'x'.repeat(501) }] },
        problems: [
          ['string_too_short', 'body', 'options', 0, 'value'],
          ['string_too_long', 'body', 'options', 0, 'text'],
        ],
      },
      {
        body: {
          options: [
            { value: 'a', text: 'A' },
            { value: 'a', text: 'B' },
          ],
        },
        problems: [['value_error', 'body']],
      },
    ],
  },
  getOptionUses: {
    request: ofMood({ query: 'value=sad' }),
    permission: MEMBER_ADMIN,
    invalid: [{ query: '', problems: [['missing', 'query', 'value']] }],
  },
  migrateQuestionOption: {
    request: ofMood({ body: { from: 'sad', to: 'calm' } }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: { from: '' },
        problems: [
          ['string_too_short', 'body', 'from'],
          ['missing', 'body', 'to'],
        ],
      },
    ],
  },
  deleteRecordsByFilter: {
    request: async world => {
      const dataset = await aDataset(world, SMALL)
      await aRecord(world, dataset)
      return { params: { dataset_id: dataset.id }, body: { query: {}, expected_total: 1 } }
    },
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: {},
        problems: [
          ['missing', 'body', 'query'],
          ['missing', 'body', 'expected_total'],
        ],
      },
      { body: { query: {}, expected_total: 0 }, problems: [['greater_than_equal', 'body', 'expected_total']] },
    ],
  },
}
