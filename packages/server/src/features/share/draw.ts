/**
 * Draws a card as an image of 1200 × 630 pixels, the usual size of link previews: the dataset is on the page, the user's number
 * in the margin beside the rule. Colours are those of the web UI's light theme. The image contains no fonts and no scripts.
 */
import type { ShareCard } from '@postil/domain/share'
import { escapeMarkup } from '../../lib/escape-markup.ts'
import { toLines } from './lines.ts'

const PAPER = '#FFFFFF'
const LINE = '#E1E6E6'
const FILL = '#EDF1F1'
const TEXT = '#172124'
const TEXT_2 = '#465256'
const TEXT_3 = '#616D71'
const INK = '#0D566A'
const RULE = '#D9798B'
const RULE_STRONG = '#C2405C'

const SERIF = "'Source Serif 4', ui-serif, Charter, Cambria, 'Noto Serif', Georgia, serif"
const SANS = "Inter, ui-sans-serif, system-ui, 'Segoe UI', 'Noto Sans', sans-serif"

const WIDTH = 1200
const HEIGHT = 630
const PAGE = { x: 72, width: 632 }
const RULE_X = 760
const MARGIN = { x: 816, width: 320 }
const NAME = { size: 52, leading: 64, linesMax: 3 }
const NUMBER_SIZE_MAX = 128
/** Width of a digit in the widest of the serif fonts, in ems. */
const DIGIT_WIDTH = 0.64

const LOGO = `<g transform="translate(66 56) scale(1.2)"><rect x="5" y="5" width="4.2" height="30" rx="2.1" fill="${TEXT}"/><path d="M13 7h6.5a8 8 0 0 1 0 16H17l-4 4.2z" fill="${RULE_STRONG}"/><g fill="none" stroke="${TEXT}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"><path d="M42 14v22"/><circle cx="49" cy="21" r="7"/><circle cx="70" cy="21" r="7"/><path d="M92.5 16.2c-1.2-1.5-2.8-2.2-4.8-2.2-2.7 0-4.6 1.3-4.6 3.4 0 4.9 10 2.3 10 7.2 0 2.2-2.1 3.4-4.9 3.4-2.3 0-4.3-.9-5.4-2.5"/><path d="M102 8.5v15.2c0 2.9 1.5 4.3 4.6 4.3M98 14.5h8.6"/><path d="M114 14.5V28"/><path d="M122.5 6v22"/></g><circle cx="114" cy="8" r="2.3" fill="${RULE_STRONG}"/></g>`

const toNumber = (value: number) => value.toLocaleString('en')
const toDay = (date: string) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

interface Look {
  x: number
  y: number
  size: number
  font?: string
  weight?: number
  fill?: string
}

function label(text: string, { x, y, size, font = SANS, weight = 400, fill = TEXT_2 }: Look): string {
  // Right-to-left text is anchored at its end, so that it starts at the same x position as other text.
  const direction = RIGHT_TO_LEFT.test(text) ? ' direction="rtl" text-anchor="end"' : ''
  const look = `font-family="${font}" font-size="${size}" font-weight="${weight}" fill="${fill}"`
  return `<text x="${x}" y="${y}" ${look}${direction}>${escapeMarkup(text)}</text>`
}

const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u

export function drawCard(card: ShareCard): string {
  const { dataset, submitted, completed, total, date } = card
  const team = `Team: ${toNumber(completed)} of ${toNumber(total)} complete`
  const title = `${dataset}: ${toNumber(submitted)} answers submitted. ${team}. ${toDay(date)}.`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>${escapeMarkup(title)}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="${PAPER}"/>
<rect x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="none" stroke="${LINE}"/>
<rect x="${RULE_X}" width="2" height="${HEIGHT}" fill="${RULE}"/>
<rect x="${RULE_X - 2}" y="190" width="6" height="176" rx="3" fill="${RULE_STRONG}"/>
${LOGO}
${drawName(dataset)}
${drawNumber(toNumber(submitted))}
${label('answers submitted', { x: MARGIN.x, y: 354, size: 28 })}
<rect x="${PAGE.x}" y="440" width="${PAGE.width}" height="10" rx="5" fill="${FILL}"/>
<rect x="${PAGE.x}" y="440" width="${doneWidth(card)}" height="10" rx="5" fill="${INK}"/>
${label(team, { x: PAGE.x, y: 494, size: 26 })}
${label(toDay(date), { x: PAGE.x, y: 566, size: 22, fill: TEXT_3 })}
</svg>
`
}

/** Draws the name in a nested SVG that clips overflowing characters. */
function drawName(dataset: string): string {
  const { size, leading, linesMax } = NAME
  const lines = toLines(dataset, { ems: PAGE.width / size, linesMax })
  const look = { x: 0, size, font: SERIF, weight: 600, fill: TEXT }
  const labels = lines.map((line, i) => label(line, { ...look, y: size + i * leading }))
  const height = size + linesMax * leading
  return `<svg x="${PAGE.x}" y="178" width="${PAGE.width}" height="${height}" overflow="hidden">${labels.join('')}</svg>`
}

function drawNumber(number: string): string {
  const size = Math.min(NUMBER_SIZE_MAX, Math.floor(MARGIN.width / (number.length * DIGIT_WIDTH)))
  return label(number, { x: MARGIN.x, y: 300, size, font: SERIF, fill: TEXT })
}

const doneWidth = ({ completed, total }: ShareCard) => (total === 0 ? 0 : Math.round((PAGE.width * completed) / total))
