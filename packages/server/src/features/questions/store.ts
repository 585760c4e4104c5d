/** All SQL of questions. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { QuestionsTable } from '../../storage/tables.ts'

type StoredQuestion = Question & { no: number }

export const listQuestions = (db: Queryable, datasetId: Id): Promise<StoredQuestion[]> => listQuestionsOf(db, [datasetId])

/** Questions of several datasets, oldest first. */
export async function listQuestionsOf(db: Queryable, datasetIds: readonly Id[]): Promise<StoredQuestion[]> {
  const rows = await db.kysely
    .selectFrom('questions')
    .selectAll()
    .where('dataset_id', 'in', datasetIds)
    .orderBy('inserted_at')
    .orderBy('id')
    .execute()
  return rows.map(toStored)
}

export async function loadQuestion(db: Queryable, id: Id): Promise<Question> {
  const row = await db.kysely.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Question', id)
  return toQuestion(toStored(row))
}

export async function insertQuestion(db: Queryable, question: Question): Promise<void> {
  const row = { ...question, required: question.required ? 1 : 0, settings: JSON.stringify(question.settings) }
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
  const changes = { title, description, updated_at, settings: JSON.stringify(question.settings) }
  await db.kysely.updateTable('questions').set(changes).where('id', '=', question.id).execute()
}

export async function deleteQuestion(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('questions').where('id', '=', id).execute()
}

function toStored(row: Selectable<QuestionsTable>): StoredQuestion {
  return { ...row, required: row.required === 1, settings: JSON.parse(row.settings) }
}

/** The question as the API shows it. */
export function toQuestion({ no: _no, ...question }: StoredQuestion): Question {
  return question
}
