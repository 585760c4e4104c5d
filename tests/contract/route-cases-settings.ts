import { ALL_PROPERTIES, ALL_VECTORS, aDataset, type DatasetOptions, idOf, SMALL, SMALL_DRAFT, TEXT_FIELD } from './datasets.ts'
import { fresh, type World } from './http.ts'
import { MEMBER, MEMBER_ADMIN, type RouteCases } from './route-case.ts'

const WITH_PARTS: DatasetOptions = { ...SMALL, properties: ALL_PROPERTIES.slice(0, 1), vectors: ALL_VECTORS.slice(0, 1) }

const ofDataset = (options: DatasetOptions) => async (world: World) => ({
  params: { dataset_id: (await aDataset(world, options)).id },
})

type Kind = 'fields' | 'questions' | 'properties' | 'vectors'
const ofPart = (options: DatasetOptions, kind: Kind, name: string, parameter: string) => async (world: World) => ({
  params: { [parameter]: idOf((await aDataset(world, options))[kind], name) },
})

/** Returns a request to a new dataset, with a body whose name is unique. */
const withBody = (options: DatasetOptions, body: object) => async (world: World) => ({
  ...(await ofDataset(options)(world)),
  body: { ...body, name: fresh('part') },
})

const NO_NAME_NO_TITLE = {
  body: { name: '', title: '' },
  problems: [
    ['string_too_short', 'body', 'name'],
    ['string_too_short', 'body', 'title'],
    ['missing', 'body', 'settings'],
  ],
} satisfies NonNullable<RouteCases['invalid']>[0]

const field = ofPart(SMALL_DRAFT, 'fields', 'text', 'field_id')
const question = ofPart(SMALL_DRAFT, 'questions', 'mood', 'question_id')
const property = ofPart(WITH_PARTS, 'properties', 'source', 'metadata_property_id')
const vectors = ofPart(WITH_PARTS, 'vectors', 'embed', 'vectors_settings_id')

const listProperties: RouteCases = { request: ofDataset(WITH_PARTS), permission: MEMBER }

const fieldCases: Record<string, RouteCases> = {
  listFields: { request: ofDataset(SMALL), permission: MEMBER },
  createField: {
    request: withBody(SMALL_DRAFT, TEXT_FIELD),
    permission: MEMBER_ADMIN,
    invalid: [
      NO_NAME_NO_TITLE,
      {
        body: { name: 'x'.repeat(201), title: 'x'.repeat(501), settings: {} },
        problems: [
          ['string_too_long', 'body', 'name'],
          ['string_too_long', 'body', 'title'],
          ['union_tag_not_found', 'body', 'settings'],
        ],
      },
      { body: { name: 'a', title: 'A', settings: { type: 'audio' } }, problems: [['union_tag_invalid', 'body', 'settings']] },
      {
        body: { name: 'a', title: 'A', settings: { type: 'custom' } },
        problems: [['missing', 'body', 'settings', 'custom', 'template']],
      },
    ],
  },
  updateField: {
    request: async world => ({ ...(await field(world)), body: { title: 'New title', name: 'ignored', required: false } }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: { title: null }, problems: [['value_error', 'body']] },
      { body: { settings: null }, problems: [['value_error', 'body']] },
      { body: { settings: { type: 'text' } }, problems: [['missing', 'body', 'settings', 'text', 'use_markdown']] },
    ],
  },
  deleteField: { request: field, permission: MEMBER_ADMIN },
  deleteDatasetField: {
    request: async world => {
      const { id, fields } = await aDataset(world, SMALL_DRAFT)
      return { params: { dataset_id: id, field_id: idOf(fields, 'text') } }
    },
    permission: MEMBER_ADMIN,
  },
}

const rating = (values: unknown[]) => ({ type: 'rating', options: values.map(value => ({ value })) })

const questionCases: Record<string, RouteCases> = {
  listQuestions: { request: ofDataset(SMALL), permission: MEMBER },
  createQuestion: {
    request: withBody(SMALL_DRAFT, { title: 'Quality', settings: rating([1, 2]) }),
    permission: MEMBER_ADMIN,
    invalid: [
      NO_NAME_NO_TITLE,
      {
        body: { name: 'q', title: 'Q', settings: rating([-1, 11, 1.5]) },
        problems: [
          ['greater_than_equal', 'body', 'settings', 'rating', 'options', 0, 'value'],
          ['less_than_equal', 'body', 'settings', 'rating', 'options', 1, 'value'],
          ['int_from_float', 'body', 'settings', 'rating', 'options', 2, 'value'],
        ],
      },
      { body: { name: 'q', title: 'Q', settings: rating([1, 1]) }, problems: [['value_error', 'body', 'settings', 'rating']] },
    ],
  },
  updateQuestion: {
    request: async world => ({ ...(await question(world)), body: { title: 'New title', description: 'How is it?' } }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: { title: null }, problems: [['value_error', 'body']] },
      { body: { description: '' }, problems: [['string_too_short', 'body', 'description']] },
    ],
  },
  deleteQuestion: { request: question, permission: MEMBER_ADMIN },
  deleteDatasetQuestion: {
    request: async world => {
      const { id, questions } = await aDataset(world, SMALL_DRAFT)
      return { params: { dataset_id: id, question_id: idOf(questions, 'mood') } }
    },
    permission: MEMBER_ADMIN,
  },
}

const propertyCases: Record<string, RouteCases> = {
  listMyMetadataProperties: listProperties,
  listMetadataProperties: listProperties,
  createMetadataProperty: {
    request: withBody(SMALL, { title: 'Length', settings: { type: 'integer', min: 1 } }),
    permission: MEMBER_ADMIN,
    invalid: [
      NO_NAME_NO_TITLE,
      {
        body: { name: 'n', title: 'N', settings: { type: 'integer', min: 2, max: 2 } },
        problems: [['value_error', 'body', 'settings', 'integer']],
      },
      {
        body: { name: 'n', title: 'N', settings: { type: 'terms', values: [] } },
        problems: [['too_short', 'body', 'settings', 'terms', 'values']],
      },
    ],
  },
  updateMetadataProperty: {
    request: async world => ({ ...(await property(world)), body: { title: 'New title' } }),
    permission: MEMBER_ADMIN,
    invalid: [{ body: { visible_for_annotators: null }, problems: [['value_error', 'body']] }],
  },
  deleteMetadataProperty: { request: property, permission: MEMBER_ADMIN },
  getMetadataPropertyMetrics: { request: property, permission: MEMBER },
}

const vectorsCases: Record<string, RouteCases> = {
  listVectorsSettings: { request: ofDataset(WITH_PARTS), permission: MEMBER },
  createVectorsSettings: {
    request: withBody(SMALL, { title: 'Mini', dimensions: 4 }),
    permission: MEMBER_ADMIN,
    invalid: [
      {
        body: { name: 'v', dimensions: 0 },
        problems: [
          ['missing', 'body', 'title'],
          ['greater_than', 'body', 'dimensions'],
        ],
      },
    ],
  },
  updateVectorsSettings: {
    request: async world => ({ ...(await vectors(world)), body: { title: 'New title', dimensions: 9, name: 'ignored' } }),
    permission: MEMBER_ADMIN,
    invalid: [
      { body: {}, problems: [['missing', 'body', 'title']] },
      { body: { title: null }, problems: [['string_type', 'body', 'title']] },
    ],
  },
  deleteVectorsSettings: { request: vectors, permission: MEMBER_ADMIN },
}

export const settingsCases: Record<string, RouteCases> = { ...fieldCases, ...questionCases, ...propertyCases, ...vectorsCases }
