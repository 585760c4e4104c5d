/** Hugging Face Space that the server runs in; shown before sign-in. */
export interface Space {
  title: string
  /** True if the storage of the Space is not persistent, so that every restart deletes all data. */
  losesData: boolean
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Returns null if the server does not run in a Space. */
export function toSpace(settings: Record<string, unknown>): Space | null {
  const { huggingface, argilla } = settings
  if (!isObject(huggingface)) return null
  const title = [huggingface.space_title, huggingface.space_repo_name, huggingface.space_id].find(
    name => typeof name === 'string',
  )
  const warns = !isObject(argilla) || argilla.show_huggingface_space_persistent_storage_warning !== false
  return { title: String(title ?? 'Postil'), losesData: warns && huggingface.space_persistent_storage_enabled === false }
}
