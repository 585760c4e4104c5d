import { useRouter } from 'vue-router'

/** True if the route of the import wizard exists; links to it are hidden otherwise. */
export const useHasWizard = (): boolean => useRouter().resolve('/new').name !== 'not-found'
