/** Four records with answers and suggestions to questions of every type, by the owner and the annotator. */
import type { DatasetRecord } from '@postil/domain/records'
import { addRecords, type BuiltDataset, idOf } from './datasets.ts'
import type { Caller, World } from './http.ts'

export function addAnsweredRecords(world: World, dataset: BuiltDataset): Promise<DatasetRecord[]> {
  const suggest = (name: string, value: unknown, given: object = {}) => ({
    question_id: idOf(dataset.questions, name),
    value,
    ...given,
  })
  const respond = ({ id }: Caller, status: string, values: Record<string, unknown>) => ({
    user_id: id,
    status,
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  })
  const { owner, memberAnnotator } = world
  const span = (label: string, start: number) => ({ label, start, end: start + 1 })
  return addRecords(world, dataset, [
    {
      fields: {
        text: '😀 Green apples, green pie',
        talk: [
          { role: 'green', content: 'no' },
          { role: 'user', content: 'a green one' },
        ],
        page: { green: 'green' },
      },
      metadata: { source: 'web', length: 5, weight: 0.5, hidden: 'x' },
      suggestions: [
        suggest('mood', 'sad', { score: 0.9, agent: 'a1' }),
        suggest('spots', [span('person', 0), span('place', 3)], { score: [0.15, 0.95] }),
        suggest('order', [
          { value: 'b', rank: 1 },
          { value: 'a', rank: 2 },
        ]),
      ],
      responses: [respond(memberAnnotator, 'submitted', { mood: 'happy', spots: [span('place', 1)], comment: 'Hm' })],
    },
    {
      fields: { text: 'green' },
      metadata: { source: ['web', 'mail'], length: 9 },
      suggestions: [suggest('mood', 'happy', { score: 0.2, agent: 'a2' }), suggest('comment', 'hello')],
      responses: [
        respond(owner, 'draft', {
          mood: 'sad',
          comment: ' ',
          order: [
            { value: 'c', rank: 1 },
            { value: 'a', rank: 1 },
          ],
        }),
      ],
    },
    { fields: { text: 'pie' }, metadata: { source: 'mail', length: 6 }, suggestions: [suggest('spots', [])] },
    { fields: { text: 'tart' } },
  ])
}
