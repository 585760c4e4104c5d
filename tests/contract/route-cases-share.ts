import { CARD_LENGTH_MAX } from '@postil/domain/share'
import { aDataset, addRecords, SMALL, submitted } from './datasets.ts'
import type { World } from './http.ts'
import { MEMBER, type RouteCases } from './route-case.ts'

/** Creates a dataset in which all callers who may share have answered twice. */
async function anAnsweredDataset(world: World) {
  const dataset = await aDataset(world, SMALL)
  const records = await addRecords(world, dataset, [{ fields: { text: 'A plum' } }, { fields: { text: 'A pear' } }])
  const items = records.map(({ id }) => ({ record_id: id, ...submitted() }))
  for (const actor of ['owner', 'memberAdmin', 'memberAnnotator'] as const)
    await world[actor].done('POST /me/responses/bulk', { items })
  return { params: { dataset_id: dataset.id } }
}

export const shareCases: Record<string, RouteCases> = {
  shareMyProgress: { request: anAnsweredDataset, permission: MEMBER },
  getShareCard: {
    request: async world => {
      const { params } = await anAnsweredDataset(world)
      const { card } = await world.owner.done<{ card: string }>(`POST /me/datasets/${params.dataset_id}/share`)
      return { query: `card=${card}` }
    },
    invalid: [
      { query: '', problems: [['missing', 'query', 'card']] },
      { query: 'card=', problems: [['string_too_short', 'query', 'card']] },
      { query: `card=${'x'.repeat(CARD_LENGTH_MAX + 1)}`, problems: [['string_too_long', 'query', 'card']] },
    ],
  },
}
