import { expect, test } from 'vitest'
import { isSharingOn } from './sharing.ts'

test.each([
  [{}, false],
  [{ argilla: null }, false],
  [{ argilla: {} }, false],
  [{ argilla: { share_your_progress_enabled: false } }, false],
  [{ argilla: { share_your_progress_enabled: 'yes' } }, false],
  [{ argilla: { share_your_progress_enabled: true } }, true],
])('settings %j: sharing is on: %s', (settings, isOn) => {
  expect(isSharingOn(settings)).toBe(isOn)
})
