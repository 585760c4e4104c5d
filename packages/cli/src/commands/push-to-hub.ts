/** `datasets push-to-hub`: starts an export to the Hugging Face hub on the server and waits for the job. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallAnswer, type Client, ConnectionError } from '@postil/client'
import type { getJob } from '@postil/domain/api/info'
import { createProgress } from '@postil/terminal/progress'
import { ask } from '@postil/terminal/prompt'
import type { Command } from 'commander'
import { type CommandInput, setAction } from '../command.ts'
import { addTarget, loadDataset, nameOfWorkspace, requireName, type TargetOptions } from '../datasets.ts'
import { readHubToken } from '../environment.ts'
import { Failure, findInvalid, findReason, hasCode, orFail } from '../failure.ts'
import { openSession, requireRole } from '../session.ts'

type Job = CallAnswer<typeof getJob>

interface PushOptions extends TargetOptions {
  repoId: string
  subset: string
  split: string
  private: boolean
  token?: string
}

const FIRST_PAUSE_MS = 100
const PAUSE_MS_MAX = 2000
/** Longest server outage that the command waits for, enough for a restart. */
const OUTAGE_MS_MAX = 120_000

export function addPushToHub(group: Command): void {
  const push = group
    .command('push-to-hub')
    .alias('push-to-huggingface')
    .description('Export a dataset with its records to a dataset repository on the Hugging Face hub. Also `push-to-huggingface`')
    .requiredOption('--repo-id <owner/name>', 'the repository; it is created if it does not exist')
    .option('--subset <name>', 'where in the repository', 'default')
    .option('--split <name>', 'where in the subset', 'train')
    .option('--private', 'a repository that is created is private', false)
    .option('--no-private', 'a repository that is created is public')
    .option('--token <token>', 'a token of the hub that may write; HF_TOKEN or a prompt unless given')
  setAction(
    addTarget(push),
    [
      'datasets --name reviews push-to-hub --repo-id team/reviews',
      'datasets push-to-hub --name reviews --repo-id team/reviews --private --json',
    ],
    pushToHub,
  )
}

async function pushToHub(given: CommandInput<PushOptions>): Promise<void> {
  const name = requireName(given)
  const { repoId, subset, split, private: isPrivate } = given.options
  const session = await openSession()
  requireRole(session, 'owner', 'admin')
  const found = await loadDataset(session, { ...given.options, name })
  const records = await countRecords(session.client, found.id)
  if (records === 0) throw new Failure('No records to push', `The dataset \`${name}\` has no records.`)
  const token = given.options.token ?? readHubToken() ?? (await ask('Hub token', { hidden: true, option: '--token' }))
  const body = { name: repoId, subset, split, private: isPrivate, token }
  const started = await orFail(
    'Unexpected error',
    () => session.client.exportToHub({ params: { dataset_id: found.id }, body }),
    explainRefusal,
  )
  const job = await waitForJob(session.client, started.id, records)
  const address = job.url ?? repoId
  given.out.panel('Dataset pushed', [`\`${name}\` was pushed to ${address} (subset \`${subset}\`, split \`${split}\`).`], {
    name,
    workspace: nameOfWorkspace(session, found),
    ...{ records, repo_id: repoId, subset, split, url: job.url ?? null, job_id: job.id },
  })
}

async function countRecords(client: Client, datasetId: string): Promise<number> {
  const call = () => client.getDataset({ params: { dataset_id: datasetId }, query: { include: ['records_total'] } })
  return (await orFail('Unexpected error', call)).records_total ?? 0
}

function explainRefusal(error: unknown): Failure | null {
  const invalid = findInvalid(error)
  if (invalid !== null) return new Failure('Invalid parameters', invalid)
  // After any other connection error the export may have started, and a retry would run it twice.
  if (!(error instanceof ConnectionError) || error.problem === 'refused') return null
  return new Failure('Unexpected error', `${error.message}. The export may run all the same: an owner sees it among the jobs.`)
}

/**
 * Waits until the job has ended and shows the number of written records as a progress bar. Throws a failure unless the job
 * succeeded.
 */
async function waitForJob(client: Client, jobId: string, records: number): Promise<Job> {
  const progress = createProgress('Pushing', records)
  let pauseMs = FIRST_PAUSE_MS
  let lastAnswer = performance.now()
  try {
    while (true) {
      const job = await readJob(client, jobId, performance.now() - lastAnswer > OUTAGE_MS_MAX)
      if (job) {
        lastAnswer = performance.now()
        progress.show(job.status === 'finished' ? records : (job.progress?.done ?? 0))
        if (!['queued', 'started', 'deferred', 'scheduled'].includes(job.status)) return mustHaveFinished(job)
      }
      await sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 1.5, PAUSE_MS_MAX)
    }
  } finally {
    progress.end()
  }
}

/** Returns null if the server is not available, or throws if the outage is already too long. */
async function readJob(client: Client, jobId: string, isLong: boolean): Promise<Job | null> {
  try {
    return await client.getJob({ params: { job_id: jobId } })
  } catch (error) {
    const isAway = error instanceof ConnectionError || hasCode(error, 'unavailable')
    if (isAway && !isLong) return null
    const reason = findReason(error)
    if (reason === null) throw error
    const hint = `The export goes on without this command, as job ${jobId}.`
    throw new Failure(isAway ? 'Server not available' : 'Unexpected error', `${reason}. ${hint}`, { cause: error })
  }
}

function mustHaveFinished(job: Job): Job {
  if (job.status === 'finished') return job
  if (job.status === 'failed') throw new Failure('Unexpected error', job.error ?? `The export failed: job ${job.id}.`)
  throw new Failure('Unexpected error', `The export was ${job.status} before it was complete: job ${job.id}.`)
}
