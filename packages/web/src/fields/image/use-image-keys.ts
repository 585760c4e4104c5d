/** Keys for the current image: the one last focused, or the first visible one. */
import { onScopeDispose, shallowReactive, shallowRef } from 'vue'
import { useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'
import type { useZoom } from './use-zoom.ts'

interface ImageKeys {
  view: ReturnType<typeof useZoom>
  toggleFullScreen: () => unknown
  isOn: () => boolean
}

const onPage = shallowReactive<ImageKeys[]>([])
const inHand = shallowRef<ImageKeys | null>(null)

export function useImageKeys(image: ImageKeys): { focus: () => void } {
  onPage.push(image)
  onScopeDispose(() => {
    onPage.splice(onPage.indexOf(image), 1)
    if (inHand.value === image) inHand.value = null
  })
  const when = () => (inHand.value?.isOn() ? inHand.value : onPage.find(({ isOn }) => isOn())) === image
  const { view, toggleFullScreen } = image
  useCommands('page', () => [
    define('image.zoomIn', view.zoomIn, { when }),
    define('image.zoomOut', view.zoomOut, { when }),
    define('image.fit', view.fit, { when }),
    define('image.fullScreen', toggleFullScreen, { when }),
  ])
  return {
    focus: () => {
      inHand.value = image
    },
  }
}
