/** Validation rules for one record of a call, in the order that clients expect. */

import { checkAt, invalid, ShapeError } from '@postil/domain/errors'
import { checkMessageLengths } from '@postil/domain/fields/chat/chat'
import type { RecordRules } from '@postil/domain/record-rules'
import { checkFields, checkMetadata, checkVectors, type RecordFields, type RecordUpsert } from '@postil/domain/records'
import { checkResponse } from '@postil/domain/responses'
import { checkSuggestions } from '@postil/domain/suggestions'
import type { Context } from '../../context.ts'
import { parseJson } from '../../http/json.ts'

/** Checks lengths of chat messages, which are server settings. Reported as schema errors, before any lookup. */
export function checkChatLengths(
  { config }: Context,
  bodies: readonly { fields?: unknown }[],
  at: (index: number) => (string | number)[],
): void {
  const { roleLengthMin, roleLengthMax } = config
  const limits = {
    roleLengthMin,
    roleLengthMax,
    contentLengthMin: config.messageLengthMin,
    contentLengthMax: config.messageLengthMax,
  }
  checkMessageLengths(
    bodies.map(({ fields }, index) => ({ fields, loc: at(index) })),
    limits,
  )
}

type UserIds = Pick<ReadonlySet<string>, 'has'>

/** Checks all parts of a new record. */
export function checkNewRecord(item: RecordUpsert, rules: RecordRules, userIds: UserIds): void {
  const fields = item.fields as RecordFields | null | undefined
  checkFields(fields, rules)
  checkMetadata(item.metadata, rules)
  checkSuggestions(item.suggestions ?? [], rules, fields)
  checkVectors(item.vectors, rules)
  checkResponses(item, rules, fields, userIds)
}

/** Checks the given parts of an existing record against the fields it will have. */
export function checkChangedRecord(item: RecordUpsert, rules: RecordRules, fields: RecordFields, userIds: UserIds): void {
  if (hasFields(item)) checkFields(fields, rules)
  checkMetadata(item.metadata, rules)
  checkVectors(item.vectors, rules)
  checkSuggestions(item.suggestions ?? [], rules, fields)
  checkResponses(item, rules, fields, userIds)
}

/** The Python client sends null if no fields are given; an existing record then keeps its fields. */
export const hasFields = ({ fields }: { fields?: object | null | undefined }) => fields != null && Object.keys(fields).length > 0

function checkResponses(item: RecordUpsert, rules: RecordRules, fields: RecordFields, userIds: UserIds): void {
  for (const [index, response] of (item.responses ?? []).entries()) {
    checkAt(['responses', index], () => {
      checkUserKnown(response, userIds)
      checkResponse(response, rules, fields)
    })
  }
}

function checkUserKnown({ user_id }: { user_id: string }, userIds: UserIds): void {
  if (!userIds.has(user_id)) throw invalid(`There is no user with id \`${user_id}\``, ['user_id'])
}

/** Checks the users of responses that satisfy all other rules. */
export function checkUsersKnown(responses: readonly { user_id: string }[], userIds: UserIds): void {
  for (const [index, response] of responses.entries()) checkAt(['responses', index], () => checkUserKnown(response, userIds))
}

/** Path of item `index` in a bulk body. */
export const atItem = (index: number): (string | number)[] => ['body', 'items', index]

const MAYBE_WRONG = /\\u(0000|d[89a-f])/

/**
 * Returns the item as JSON. Throws a ShapeError if a text has characters that no request may contain: files of some formats can
 * hold NUL characters, and a database cannot store them.
 */
export function checkCharacters(item: unknown): string {
  const text = JSON.stringify(item)
  if (!MAYBE_WRONG.test(text)) return text
  try {
    parseJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    // There is no request body here.
    throw new ShapeError(error.problems.map(problem => ({ ...problem, loc: problem.loc.slice(1) })))
  }
  return text
}
