const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML and XML, between tags and in quoted attributes. */
export const escapeMarkup = (text: string) => text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
