/** Accepts suggestions by score: counts the matching records and starts the job. The result is drafts for review. */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import type { Question } from '@postil/domain/questions'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { score as asScore, t } from '../../../../i18n/i18n.ts'
import { MANY } from '../sending/plan.ts'
import type { Asking, Sending, SendingOptions } from '../sending/sending.ts'
import { countsBody, matchTargets, namedTargets, suggestedFilter, type Targets } from '../sending/targets.ts'
import { countFrom, isGoodEnough, type Scores, scoresOf, suggestedQuestions, toMinScore } from './scores.ts'

export type Scope = 'ticked' | 'all'

interface Options extends Pick<SendingOptions, 'bundle' | 'criteria' | 'annotation' | 'pages' | 'ticks' | 'jobs'> {
  sending: Sending
  /** Called when the drafts exist, to show them. */
  onTaken(): void
}

const THRESHOLD = 0.9

export function openAccepting({ bundle, criteria, annotation, pages, ticks, jobs, sending, onTaken }: Options) {
  const threshold = ref(THRESHOLD)
  const chosen = ref<string | null>(null)
  const wantedScope = ref<Scope>('all')
  /** Scores of all matching records, counted by the server. */
  const counted = shallowRef<Scores | null>(null)

  /**
   * Excludes hidden suggestions, which must not be accepted unseen, and queues with decided records, which must not be
   * overwritten.
   */
  const questions = computed(() => {
    const isOpen = ['pending', 'draft'].includes(criteria.value.queue) && bundle.value.options.suggestions !== 'hide'
    return isOpen
      ? suggestedQuestions(
          bundle.value.questions,
          pages.items.value.map(({ record }) => record),
        )
      : []
  })
  /** The chosen question, or by default the one with the most suggestions. */
  const question = computed(() => questions.value.find(({ name }) => name === chosen.value) ?? questions.value[0] ?? null)
  const canChooseScope = computed(() => ticks.items.value !== null && ticks.count.value > 0)
  const scope = computed<Scope>(() => (canChooseScope.value ? wantedScope.value : 'all'))
  const total = computed(() => (scope.value === 'ticked' ? ticks.count.value : pages.total.value))

  const scores = computed((): Scores | null => {
    if (!question.value) return null
    if (scope.value === 'ticked')
      return scoresOf(
        (ticks.items.value ?? []).map(({ record }) => record),
        question.value,
      )
    return (
      counted.value ??
      scoresOf(
        pages.items.value.map(({ record }) => record),
        question.value,
      )
    )
  })
  const count = computed(() => (scores.value ? countFrom(scores.value, threshold.value) : 0))

  let asked = new AbortController()
  async function load(): Promise<void> {
    asked.abort()
    asked = new AbortController()
    const { signal } = asked
    counted.value = null
    if (question.value) counted.value = await loadScores(question.value, signal).catch(() => null)
  }
  async function loadScores(of: Question, signal: AbortSignal): Promise<Scores | null> {
    // The server cannot count the results of a similarity search; they are few, so they are counted here.
    if (criteria.value.similarity) {
      const items = await pages.range(0, pages.total.value - 1)
      return signal.aborted
        ? null
        : scoresOf(
            items.map(({ record }) => record),
            of,
          )
    }
    const params = { dataset_id: bundle.value.dataset.id }
    const { total: suggested, targets } = await annotation.session.api.countMyRecords(
      { params, body: countsBody(criteria.value, of, null) },
      { signal },
    )
    const [found] = targets
    return { suggested, bars: found && 'buckets' in found ? found.buckets : [] }
  }
  watch([() => question.value?.id, pages.key, pages.revision], () => void load(), { immediate: true })
  onScopeDispose(() => asked.abort())

  async function targetsFor(of: Question, minScore: number | null): Promise<Targets> {
    const isGood = (id: string) => {
      const item = pages.find(id)
      return item !== undefined && isGoodEnough(item.record, of, minScore)
    }
    const { selection } = ticks
    if (scope.value === 'ticked' && selection.value.kind === 'some') return namedTargets([...selection.value.ids].filter(isGood))
    const except = selection.value.kind === 'all' ? [...selection.value.except].filter(isGood) : []
    if (criteria.value.similarity) {
      const items = await pages.range(0, pages.total.value - 1)
      return namedTargets(items.map(({ record }) => record.id).filter(id => isGood(id) && !except.includes(id)))
    }
    const params = { dataset_id: bundle.value.dataset.id }
    const exact = await annotation.session.api.countMyRecords({ params, body: countsBody(criteria.value, of, minScore) })
    return matchTargets(criteria.value, except, [suggestedFilter(of, minScore)], exact.total - except.length)
  }

  async function take(): Promise<void> {
    const of = question.value
    if (!of || count.value === 0 || jobs.pressed.value !== null) return
    const shown = count.value
    const minScore = toMinScore(threshold.value)
    const targets = await targetsFor(of, minScore).catch(() => null)
    if (!targets || targets.expected_total < 1) return void load()
    const go = () => void carryOut(of, minScore, targets)
    // Asks for confirmation if the number of records differs from the displayed one.
    if (targets.expected_total === shown && shown <= MANY) return go()
    const text = minScore === null ? t('bulk.each_suggestion') : t('bulk.each_suggestion_from', { score: asScore(minScore, 2) })
    sending.asking.value = {
      count: targets.expected_total,
      status: 'draft',
      lines: [{ title: of.title, text }],
      go,
    } satisfies Asking
  }

  async function carryOut(of: Question, minScore: number | null, targets: Targets): Promise<void> {
    const key = pages.key.value
    const questions = [{ name: of.name, min_score: minScore }]
    const action: BulkRequest['action'] = { type: 'accept_suggestions', questions, status: 'draft' }
    const job = await jobs.run({ ...targets, action }, 'accept')
    if (!job) return void pages.load()
    // A record with several scores may have one below the threshold. It stays unchanged, which is not a failure.
    sending.afterJob({ ...job, failures: [] })
    annotation.lastDone.value = { status: 'draft', count: job.done }
    annotation.stack.push(sending.toJobStep(job.id))
    if (job.done > 0 && key === pages.key.value && criteria.value.queue === 'pending') onTaken()
  }

  return { questions, question, chosen, threshold, scope, wantedScope, canChooseScope, scores, count, total, take }
}

export type Accepting = ReturnType<typeof openAccepting>
