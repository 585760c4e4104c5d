/** All SQL of questions. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { QuestionsTable } from '../../storage/tables.ts'

export type StoredQuestion = Question & { no: number }

export const listQuestions = (db: Queryable, datasetId: Id): Promise<StoredQuestion[]> => listQuestionsOf(db, [datasetId])

/** Lists questions of several datasets in their configured order, or else oldest first. */
export async function listQuestionsOf(db: Queryable, datasetIds: readonly Id[]): Promise<StoredQuestion[]> {
  const rows = await db.kysely
    .selectFrom('questions')
    .selectAll()
    .where('dataset_id', 'in', datasetIds)
    .orderBy('position')
    .orderBy('inserted_at')
    .orderBy('id')
    .execute()
  return rows.map(toStored)
}

export const loadQuestion = async (db: Queryable, id: Id): Promise<Question> => toQuestion(await loadStoredQuestion(db, id))

export async function loadStoredQuestion(db: Queryable, id: Id): Promise<StoredQuestion> {
  const row = await db.kysely.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Question', id)
  return toStored(row)
}

export async function insertQuestion(db: Queryable, question: Question): Promise<void> {
  // Uses the position of the last question; of two with the same position, the older one comes first.
  const last = 'select coalesce(max(position), 0) as position from questions where dataset_id = ?'
  const position = (await db.sql.get<{ position: number }>(last, [question.dataset_id]))?.position ?? 0
  const row = { ...question, position, required: question.required ? 1 : 0, settings: JSON.stringify(question.settings) }
  try {
    await db.kysely.insertInto('questions').values(row).execute()
  } catch (error) {
    throw db.dialect.isUniqueViolation(error)
      ? notUnique(`Question with name \`${question.name}\` already exists`, ['name'])
      : error
  }
}

export async function updateQuestion(db: Queryable, question: Question): Promise<void> {
  const { title, description, updated_at } = question
  const settings = JSON.stringify(question.settings)
  const changes = { title, description, updated_at, required: question.required ? 1 : 0, settings }
  await db.kysely.updateTable('questions').set(changes).where('id', '=', question.id).execute()
}

/** Stores the given order. */
export function updatePositions(db: Queryable, ids: readonly Id[]): Promise<void> {
  return db.sql.runEach(
    'update questions set position = ? where id = ?',
    ids.map((id, index) => [index + 1, id]),
  )
}

export async function deleteQuestion(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('questions').where('id', '=', id).execute()
}

/** The position is omitted, because the order of the list expresses it. */
function toStored({ position: _position, ...row }: Selectable<QuestionsTable>): StoredQuestion {
  return { ...row, required: row.required === 1, settings: JSON.parse(row.settings) }
}

/** Converts to the API representation. */
export function toQuestion({ no: _no, ...question }: StoredQuestion): Question {
  return question
}
