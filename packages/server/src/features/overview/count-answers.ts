/** Counts answers by value, and how often suggestions were accepted. Only submitted responses count. */
import { OVERVIEW_AGENTS_MAX, OVERVIEW_VALUES_MAX, type OverviewAgent, type OverviewQuestion } from '@postil/domain/overview'
import { SCORE_BUCKETS } from '@postil/domain/overview-rules'
import type { DatasetSettings } from '../datasets/settings.ts'
import { SUBMITTED } from './response-rows.ts'
import type { CountedQuestion, SuggestedCode, Tally } from './tally.ts'

export interface AnswerCounts {
  questions: OverviewQuestion[]
  agents: OverviewAgent[]
}

export function countAnswers(tally: Tally, settings: DatasetSettings): AnswerCounts {
  const counted = tally.questions.map((question, q) => ({ question, ...countCodes(tally, q) }))
  const questions = counted.flatMap(({ question, answers, suggested }): OverviewQuestion[] => {
    const asked = settings.questions.find(({ id }) => id === question.id)
    if (asked === undefined) return []
    const { id, name, title } = asked
    const hasValues = settings.rules.questionsById.get(id)?.type.searchAs !== 'none'
    const answered = answers.reduce((sum, count) => sum + count, 0)
    const values = hasValues ? toValues(question, answers, suggested) : []
    const other = values.slice(OVERVIEW_VALUES_MAX).reduce((sum, { count }) => sum + count, 0)
    return [{ id, name, title, type: asked.settings.type, answered, values: values.slice(0, OVERVIEW_VALUES_MAX), other }]
  })
  return { questions, agents: counted.flatMap(({ question, suggested }) => toAgents(tally, question, suggested)) }
}

/** Counts how often each code occurs: answers by their code; suggestions by their code times two, plus one if accepted. */
function countCodes({ rows, questions }: Tally, q: number): { answers: Uint32Array; suggested: Uint32Array } {
  const { answers: answerCodes, suggestions } = questions[q] as CountedQuestion
  const answers = new Uint32Array(answerCodes.size + 1)
  const suggested = new Uint32Array((suggestions.size + 1) * 2)
  const [given, proposed] = [rows.answers[q] as Uint32Array, rows.suggested[q] as Uint32Array]
  for (let at = 0; at < rows.size; at++) {
    if (rows.statuses[at] !== SUBMITTED) continue
    answers[given[at] as number] = (answers[given[at] as number] as number) + 1
    suggested[proposed[at] as number] = (suggested[proposed[at] as number] as number) + 1
  }
  answers[0] = 0
  suggested[0] = 0
  return { answers, suggested }
}

function toValues(question: CountedQuestion, answers: Uint32Array, suggested: Uint32Array): OverviewQuestion['values'] {
  const byValue = new Map<string, { value: string; count: number; suggested: number }>()
  const add = (texts: readonly string[], key: 'count' | 'suggested', by: number) => {
    if (by === 0) return
    for (const value of texts) {
      const entry = byValue.get(value) ?? { value, count: 0, suggested: 0 }
      entry[key] += by
      byValue.set(value, entry)
    }
  }
  for (const [code, texts] of question.answers.entries()) add(texts, 'count', answers[code] as number)
  for (const [code, { answer }] of question.suggestions.entries()) {
    if (answer !== 0)
      add(question.answers.at(answer), 'suggested', (suggested[code * 2] as number) + (suggested[code * 2 + 1] as number))
  }
  return [...byValue.values()].sort((a, b) => b.count - a.count || b.suggested - a.suggested || (a.value < b.value ? -1 : 1))
}

interface AcceptanceCounts {
  answered: number
  accepted: number
}

const none = (): AcceptanceCounts => ({ answered: 0, accepted: 0 })

interface AgentCounts {
  agent: number
  buckets: AcceptanceCounts[]
  unscored: AcceptanceCounts
}

function toAgents(tally: Tally, question: CountedQuestion, suggested: Uint32Array): OverviewAgent[] {
  const byAgent = new Map<number, AgentCounts>()
  for (const [code, { agent, bucket }] of question.suggestions.entries()) {
    const [changed, accepted] = [suggested[code * 2] as number, suggested[code * 2 + 1] as number]
    if (changed + accepted === 0) continue
    const counts = byAgent.get(agent) ?? { agent, buckets: Array.from({ length: SCORE_BUCKETS }, none), unscored: none() }
    byAgent.set(agent, counts)
    const place = placeOf(counts, bucket)
    place.answered += changed + accepted
    place.accepted += accepted
  }
  return [...byAgent.values()]
    .map(counts => toAgent(tally, question, counts))
    .sort((a, b) => b.answered - a.answered || ((a.agent ?? '') < (b.agent ?? '') ? -1 : 1))
    .slice(0, OVERVIEW_AGENTS_MAX)
}

const placeOf = ({ buckets, unscored }: AgentCounts, bucket: SuggestedCode['bucket']): AcceptanceCounts =>
  bucket === null ? unscored : (buckets[bucket] as AcceptanceCounts)

function toAgent({ agents }: Tally, { name }: CountedQuestion, { agent, buckets, unscored }: AgentCounts): OverviewAgent {
  const all = [...buckets, unscored]
  return {
    question: name,
    agent: agent === 0 ? null : agents.at(agent),
    answered: all.reduce((sum, { answered }) => sum + answered, 0),
    accepted: all.reduce((sum, { accepted }) => sum + accepted, 0),
    scores: buckets.flatMap((counts, at) =>
      counts.answered === 0 ? [] : [{ from: at / SCORE_BUCKETS, to: (at + 1) / SCORE_BUCKETS, ...counts }],
    ),
    unscored,
  }
}
