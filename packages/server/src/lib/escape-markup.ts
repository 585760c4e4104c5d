const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML and XML hold it, between tags and in quotes. */
export const escapeMarkup = (text: string) => text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
