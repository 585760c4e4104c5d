/** Parses the sentence on the sign-in page: plain text, and words marked as `[colour|word|label below it]`. */
export type Piece = { text: string } | { text: string; colour: number; name: string }

export function toPieces(definition: string): Piece[] {
  return definition
    .split(/(\[\d+\|[^\]]*\])/)
    .filter(part => part !== '')
    .map(part => {
      const [, colour, text, name] = /^\[(\d+)\|([^|]*)\|([^|]*)\]$/.exec(part) ?? []
      return colour === undefined || text === undefined || name === undefined
        ? { text: part }
        : { text, colour: Number(colour), name }
    })
}
