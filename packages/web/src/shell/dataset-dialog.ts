/** Which dialog is open over the dataset: adding records or exporting. */
import { ref } from 'vue'

export const datasetDialog = ref<'add' | 'export' | null>(null)
