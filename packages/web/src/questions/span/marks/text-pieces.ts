/** Text of a paragraph with its marks. The text only ever becomes text nodes. */
import { createVNode, type FunctionalComponent, h, Text, type VNode } from 'vue'
import type { Piece } from '../text/pieces.ts'
import type { Mark } from './marks.ts'
import { underlineDrop } from './rows.ts'

interface Props {
  text: string
  pieces: readonly Piece<Mark>[]
}

const classesOf = ({ look, state }: Mark) => ['span-mark', state, look.classes]
const styleOf = ({ level }: Mark) => (level === 0 ? undefined : { '--drop': `${underlineDrop(level)}px` })

/**
 * Covering marks are nested elements, so that each draws its own underline. Keys are text offsets, so that a new mark does not
 * render the following pieces again.
 */
export const TextPieces: FunctionalComponent<Props> = ({ text, pieces }) =>
  pieces.map(({ start: key, end, marks }) => {
    const inner: VNode = createVNode(Text, { key }, text.slice(key, end))
    return marks.reduceRight((drawn, mark) => h('span', { key, class: classesOf(mark), style: styleOf(mark) }, [drawn]), inner)
  })
TextPieces.props = ['text', 'pieces']
