import type { TaskRules } from './task.ts'
import type { Task } from './tasks.ts'
import { textClassification } from './text-classification.ts'
import { text2text } from './text2text.ts'
import { tokenClassification } from './token-classification.ts'

/** Differences between the tasks. No other file branches on the task of a dataset. */
export const TASK_RULES: Record<Task, TaskRules> = {
  TextClassification: textClassification,
  TokenClassification: tokenClassification,
  Text2Text: text2text,
}
