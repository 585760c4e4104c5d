/** Puts text on the clipboard; without https browsers know only the old way. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'vh'
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
