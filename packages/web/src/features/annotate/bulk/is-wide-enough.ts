/** A list beside a form needs room: on a phone there is one record at a time, whatever the address says. */
import { ref } from 'vue'

const query = matchMedia('(min-width: 700px)')
export const isWideEnough = ref(query.matches)
query.addEventListener('change', ({ matches }) => {
  isWideEnough.value = matches
})
