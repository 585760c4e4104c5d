/** The three tasks of the 1.x API. */
export const TASKS = ['TextClassification', 'TokenClassification', 'Text2Text'] as const
export type Task = (typeof TASKS)[number]

/** On Python 3.11 and newer, the 1.29 client writes the names of its enum members into paths. */
const ALIASES: Record<string, Task> = {
  'TaskType.text_classification': 'TextClassification',
  'TaskType.token_classification': 'TokenClassification',
  'TaskType.text2text': 'Text2Text',
}

export const TASK_SPELLINGS: readonly string[] = [...TASKS, ...Object.keys(ALIASES)]

/** Returns the task of a path that matches one of the spellings. */
export const toTask = (spelling: string): Task =>
  Object.hasOwn(ALIASES, spelling) ? (ALIASES[spelling] as Task) : (spelling as Task)
