/** Line drawings for the image field, so that the sample does not need files or another server. */
import type { Picture } from './letter.ts'

const WHEEL = (x: number, y: number, radius: number) =>
  `<circle cx="${x}" cy="${y}" r="${radius}"/><circle cx="${x}" cy="${y}" r="3"/>${[0, 30, 60, 90, 120, 150]
    .map(angle => {
      const [dx, dy] = [Math.cos((angle * Math.PI) / 180) * radius, Math.sin((angle * Math.PI) / 180) * radius]
      return `<path d="M${(x - dx).toFixed(1)} ${(y - dy).toFixed(1)}L${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}" stroke-width="1"/>`
    })
    .join('')}`

const LINES: Record<Picture, string> = {
  bicycle: `${WHEEL(80, 145, 48)}${WHEEL(240, 145, 48)}
    <path d="M80 145L125 80H205L150 145H80M150 145L118 62M100 62H136M240 145L200 66L222 52" stroke="#0D566A" stroke-width="6"/>`,
  wheel: `${WHEEL(160, 100, 78)}
    <path d="M226 58Q252 96 232 138" stroke="#AE2418" stroke-width="6"/>
    <path d="M268 70L244 84M276 104H248" stroke="#AE2418"/>`,
  chain: `${[0, 1, 2, 3, 4]
    .map(link => `<rect x="${18 + link * 58}" y="${86 + (link % 2) * 8}" width="52" height="26" rx="13"/>`)
    .join('')}
    <path d="M184 66L204 88M206 64L186 90" stroke="#AE2418" stroke-width="5"/>`,
  parcel: `<path d="M60 70L160 34L260 70V152L160 188L60 152ZM60 70L160 104L260 70M160 104V188"/>
    <path d="M206 132L252 116V142L206 158Z" stroke="#AE2418" stroke-width="5"/>`,
  invoice: `<rect x="96" y="18" width="128" height="166" rx="4"/>
    <path d="M114 46H176M114 70H206M114 90H206M114 110H206M114 130H190" stroke-width="3"/>
    <circle cx="186" cy="158" r="16" stroke="#AE2418"/><path d="M178 158H194" stroke="#AE2418"/>`,
}

export function drawPicture(picture: Picture): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200" width="640" height="400">
    <rect width="320" height="200" fill="#F7F5EF"/>
    <g fill="none" stroke="#344043" stroke-width="4" stroke-linecap="round" stroke-linejoin="round">${LINES[picture]}</g></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg.replaceAll(/\s+/g, ' '))}`
}
