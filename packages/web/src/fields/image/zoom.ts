/** Zoom calculations. */

export interface Size {
  width: number
  height: number
}

export const ZOOM_MIN = 0.05
export const ZOOM_MAX = 20
const STEP = 1.25

export const clampZoom = (zoom: number) => Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom))

/** Size after rotation; a quarter turn swaps width and height. */
export const turned = ({ width, height }: Size, turn: number): Size =>
  turn % 180 === 0 ? { width, height } : { width: height, height: width }

/** Largest zoom at which the whole image is visible; at most 100 %. */
export const fitZoom = (image: Size, room: Size) =>
  image.width === 0 || image.height === 0 ? 1 : clampZoom(Math.min(1, room.width / image.width, room.height / image.height))

/** Next zoom step; stops at exactly 100 % when passing it. */
export function stepZoom(zoom: number, direction: 1 | -1): number {
  const next = zoom * STEP ** direction
  const passesOne = (zoom - 1) * (next - 1) < 0 && Math.abs(zoom - 1) > 0.001
  return clampZoom(passesOne ? 1 : next)
}

/** Zoom for a wheel delta in pixels; one notch of a mouse wheel is about 100. */
export const wheelZoom = (zoom: number, delta: number) => clampZoom(zoom * Math.exp(-Math.max(-200, Math.min(200, delta)) / 400))

/** Scroll offset that keeps the point under the pointer in place. */
export const scrollTo = (scroll: number, pointer: number, factor: number) => (scroll + pointer) * factor - pointer
