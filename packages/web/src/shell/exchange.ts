/** Adding records to the dataset in view and taking them out: which of the two dialogs lies over the page. */
import { ref } from 'vue'

export const exchange = ref<'add' | 'export' | null>(null)
