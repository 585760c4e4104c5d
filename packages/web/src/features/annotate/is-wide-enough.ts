/**
 * The bulk view needs space for a list beside a form. Narrow screens show one record at a time, even if the URL requests the
 * list.
 */
import { ref } from 'vue'

const query = matchMedia('(min-width: 700px)')
export const isWideEnough = ref(query.matches)
query.addEventListener('change', ({ matches }) => {
  isWideEnough.value = matches
})
