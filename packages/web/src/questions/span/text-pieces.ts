/** The text of a paragraph with what is marked in it. Text only ever becomes text nodes. */
import { createVNode, type FunctionalComponent, h, Text, type VNode } from 'vue'
import type { Mark } from './marks.ts'
import type { Piece } from './pieces.ts'

interface Props {
  text: string
  pieces: readonly Piece<Mark>[]
}

const classesOf = ({ look, state }: Mark) => ['sp', state, look.classes]
const styleOf = ({ level }: Mark) => (level === 0 ? undefined : { '--level': String(level) })

/**
 * Each covering mark is an element around the next, so that every one draws its own underline. Keys are places in the text: a
 * new mark leaves the pieces after it alone.
 */
export const TextPieces: FunctionalComponent<Props> = ({ text, pieces }) =>
  pieces.map(({ start: key, end, marks }) => {
    const inner: VNode = createVNode(Text, { key }, text.slice(key, end))
    return marks.reduceRight((drawn, mark) => h('span', { key, class: classesOf(mark), style: styleOf(mark) }, [drawn]), inner)
  })
TextPieces.props = ['text', 'pieces']
