import { expect, test } from 'vitest'
import { toSpace } from './space.ts'

test.each([
  [{}, null],
  [{ argilla: {} }, null],
  [{ huggingface: { space_title: 'Care team' } }, { title: 'Care team', losesData: false }],
  [{ huggingface: { space_id: 'a/b', space_persistent_storage_enabled: false } }, { title: 'a/b', losesData: true }],
  [{ huggingface: { space_persistent_storage_enabled: true } }, { title: 'Postil', losesData: false }],
  [
    {
      huggingface: { space_title: 'A', space_persistent_storage_enabled: false },
      argilla: { show_huggingface_space_persistent_storage_warning: false },
    },
    { title: 'A', losesData: false },
  ],
])('%j', (settings, space) => expect(toSpace(settings)).toEqual(space))
