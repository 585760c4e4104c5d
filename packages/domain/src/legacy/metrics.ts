/** Metrics of task datasets: their names, their tasks, and how they are counted. */
import { tokenize } from '../search/tokens.ts'
import { type Counter, type Counts, count, countMetadata, countSteps, countTerms, toTerms } from './counts.ts'
import { countF1 } from './f1.ts'
import { type Document, valuesOf } from './fields.ts'
import { STOP_WORDS } from './stop-words.ts'
import type { Mention } from './task.ts'
import type { Task } from './tasks.ts'
import { entitiesOf } from './token-classification.ts'

interface Metric {
  id: string
  name: string
  description: string | null
  tasks: readonly Task[]
  createCounter(): Counter
  /** True if light documents (light.ts) are sufficient; other metrics read full records. */
  isLight: boolean
}

const ALL: readonly Task[] = ['TextClassification', 'TokenClassification', 'Text2Text']
const LABELLED: readonly Task[] = ['TextClassification', 'TokenClassification']
const TEXT: readonly Task[] = ['TextClassification']
const TOKEN: readonly Task[] = ['TokenClassification']

const WORDS_LISTED = 80
const LABELS_SAMPLED = 1_000
const MENTIONS_LISTED = 50

const metric = (tasks: readonly Task[], id: string, name: string, createCounter: () => Counter): Metric => ({
  id,
  name,
  description: null,
  tasks,
  createCounter,
  isLight: false,
})

const light = (...given: Parameters<typeof metric>): Metric => ({ ...metric(...given), isLight: true })

const terms = (field: string) => () => countTerms(document => valuesOf(document, field))

export const createWordCounter = (): Counter =>
  countTerms(({ derived }) => tokenize(derived.text).filter(word => word.length > 1 && !STOP_WORDS.has(word)), WORDS_LISTED)

function createLabelCounter(): Counter {
  const labels = new Set<string>()
  let records = 0
  return {
    add: ({ derived }) => {
      if (records++ >= LABELS_SAMPLED) return
      for (const label of [...derived.predicted_as, ...derived.annotated_as]) labels.add(label)
    },
    result: () => ({ labels: [...labels] }),
  }
}

const asItems = (labels: readonly string[]) => labels.map(label => ({ label, key: label }))

const createTextF1 = () =>
  countF1({
    sidesOf: ({ derived }) => ({ predicted: asItems(derived.predicted_as), annotated: asItems(derived.annotated_as) }),
    withSupport: true,
    isEmptyWithoutPairs: true,
  })

const asSpans = (side: Document['record']['prediction']) =>
  entitiesOf(side).map(({ start, end, label }) => ({ label, key: `${start} ${end} ${label}` }))

const createTokenF1 = () =>
  countF1({
    sidesOf: ({ record }) => ({ predicted: asSpans(record.prediction), annotated: asSpans(record.annotation) }),
    withSupport: false,
    isEmptyWithoutPairs: false,
  })

type SideName = 'predicted' | 'annotated'

const mentionsOf = ({ derived }: Document, side: SideName): Mention[] => derived.metrics[side]?.mentions ?? []

/** Counts in two levels. */
function createPairCounts(side: SideName, keysOf: (mention: Mention) => [string, string]) {
  const pairs = new Map<string, Counts>()
  const add = (document: Document) => {
    for (const mention of mentionsOf(document, side)) {
      const [key, value] = keysOf(mention)
      const counts = pairs.get(key) ?? new Map()
      pairs.set(key, counts)
      count(counts, value)
    }
  }
  return { pairs, add }
}

export function createMentionCounter(side: SideName): Counter {
  const { pairs, add } = createPairCounts(side, ({ label, value }) => [label, value])
  return { add, result: ({ size }) => Object.fromEntries([...pairs].map(([label, counts]) => [label, toTerms(counts, size)])) }
}

function createConsistencyCounter(side: SideName): Counter {
  const { pairs, add } = createPairCounts(side, ({ label, value }) => [value, label])
  return {
    add,
    result: ({ size, interval }) => {
      const some = [...pairs].filter(([, labels]) => labels.size >= (interval ?? 1))
      const mentions = some
        .sort(([a, one], [b, other]) => other.size - one.size || (a < b ? -1 : 1))
        .slice(0, size ?? MENTIONS_LISTED)
      return {
        mentions: mentions.map(([mention, labels]) => ({
          mention,
          entities: Object.entries(toTerms(labels)).map(([label, found]) => ({ label, count: found })),
        })),
      }
    },
  }
}

/** For metrics that the API lists but that never had a result. */
const createEmptyCounter = (): Counter => ({ add: () => {}, result: () => ({}) })

const ofSides = (make: (side: SideName, word: string) => Metric[]): Metric[] => [
  ...make('predicted', 'Predicted'),
  ...make('annotated', 'Annotated'),
]

export const METRICS: readonly Metric[] = [
  light(ALL, 'text_length', 'Text length', () => countSteps(({ derived }) => [derived.metrics.text_length], 1)),
  light(ALL, 'score', 'Scores of predictions', () => countSteps(({ derived }) => derived.score, 0.001)),
  light(ALL, 'status_distribution', 'Records by status', terms('status')),
  light(ALL, 'predicted_by', 'Agents of predictions', terms('predicted_by')),
  light(ALL, 'annotated_by', 'Agents of annotations', terms('annotated_by')),
  light(ALL, 'error_distribution', 'Right and wrong predictions', () =>
    countTerms(({ derived }) => [derived.predicted ?? 'unknown']),
  ),
  metric(ALL, 'words_cloud', 'Frequent words', createWordCounter),
  light(ALL, 'metadata', 'Values of metadata', countMetadata),
  light(LABELLED, 'predicted_as', 'Predicted labels', terms('predicted_as')),
  light(LABELLED, 'annotated_as', 'Annotated labels', terms('annotated_as')),
  light(LABELLED, 'dataset_labels', 'Labels of the dataset', createLabelCounter),
  light(TEXT, 'F1', 'F1 of predictions', createTextF1),
  light(TEXT, 'MultiLabelF1', 'F1 of predictions with several labels', createTextF1),
  light(TEXT, 'labeling_rule', 'Labelling rule', createEmptyCounter),
  light(TEXT, 'dataset_labeling_rules', 'Labelling rules', createEmptyCounter),
  metric(TOKEN, 'F1', 'F1 of entities', createTokenF1),
  metric(TOKEN, 'token_frequency', 'Frequent tokens', terms('tokens')),
  metric(TOKEN, 'token_capitalness', 'Capitals in tokens', terms('metrics.tokens.capitalness')),
  light(TOKEN, 'tokens_length', 'Number of tokens', createEmptyCounter),
  light(TOKEN, 'token_length', 'Length of tokens', createEmptyCounter),
  ...ofSides((side, word) => [
    light(TOKEN, `${side}_entity_labels`, `${word} labels of entities`, terms(`metrics.${side}.mentions.label`)),
    light(TOKEN, `${side}_entity_capitalness`, `${word} entities: capitals`, terms(`metrics.${side}.mentions.capitalness`)),
    light(TOKEN, `${side}_mentions_distribution`, `${word} mentions by label`, () => createMentionCounter(side)),
    light(TOKEN, `${side}_top_k_mentions_consistency`, `${word} mentions with several labels`, () =>
      createConsistencyCounter(side),
    ),
    light(TOKEN, `${side}_mention_char_length`, `${word} mentions: characters`, createEmptyCounter),
    light(TOKEN, `${side}_mention_token_length`, `${word} mentions: tokens`, createEmptyCounter),
    light(TOKEN, `${side}_entity_density`, `${word} entities: density`, createEmptyCounter),
    light(TOKEN, `${side}_tag_consistency`, `${word} tags: consistency`, createEmptyCounter),
  ]),
]

export const metricsOf = (task: Task): Metric[] => METRICS.filter(({ tasks }) => tasks.includes(task))

/** Counts in every search response. */
export const AGGREGATIONS: Record<string, () => Counter> = {
  predicted_as: terms('predicted_as'),
  annotated_as: terms('annotated_as'),
  annotated_by: terms('annotated_by'),
  predicted_by: terms('predicted_by'),
  status: terms('status'),
  predicted: terms('predicted'),
  score: terms('score'),
  metadata: countMetadata,
}
