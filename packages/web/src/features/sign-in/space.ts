/** A server that runs as a hosted space says so before anybody signs in. */
export interface Space {
  title: string
  /** Its disk is emptied at every restart. */
  losesData: boolean
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Null on servers of one's own. */
export function toSpace(settings: Record<string, unknown>): Space | null {
  const { huggingface, argilla } = settings
  if (!isObject(huggingface)) return null
  const title = [huggingface.space_title, huggingface.space_repo_name, huggingface.space_id].find(
    name => typeof name === 'string',
  )
  const warns = !isObject(argilla) || argilla.show_huggingface_space_persistent_storage_warning !== false
  return { title: String(title ?? 'Postil'), losesData: warns && huggingface.space_persistent_storage_enabled === false }
}
