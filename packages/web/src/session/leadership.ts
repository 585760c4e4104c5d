/**
 * Which of a person's tabs leads. Two ways to agree on it: the browser's locks, and messages where the browser has no locks
 * (plain HTTP). A tab that slept may find that another has taken over: it asks with `isStillMine` before it acts.
 */
export interface Leadership {
  /** Another tab leads and does not answer: this one leads from now on. */
  takeOver(): void
  isStillMine(): Promise<boolean>
  close(): void
}

interface Turns {
  onGained(): void
  onLost(): void
}

/** The lock is held as long as the tab lives; the browser gives it to the next in line. */
export function openLockLead(locks: LockManager, name: string, { onGained, onLost }: Turns): Leadership {
  let release = () => {}
  let stop = new AbortController()
  let isMine = false

  function ask(options: LockOptions): void {
    const hold = () =>
      new Promise<void>(resolve => {
        release = resolve
        isMine = true
        onGained()
      })
    locks.request(name, options, hold).catch(error => {
      if (isMine) {
        // Taken by another tab.
        isMine = false
        onLost()
        ask({ signal: stop.signal })
      } else if (!(error instanceof DOMException && error.name === 'AbortError')) {
        // The browser gives no locks here (storage is blocked): each tab is on its own.
        isMine = true
        onGained()
      }
    })
  }
  ask({ signal: stop.signal })

  return {
    takeOver() {
      if (isMine) return
      stop.abort()
      stop = new AbortController()
      ask({ steal: true })
    },
    /** The loss of a lock is reported in a task of its own; tasks queued before it must not act. */
    isStillMine: async () => {
      await locks.query()
      return isMine
    },
    close() {
      isMine = false
      stop.abort()
      release()
    },
  }
}

/** The leader answers every tab that asks; a tab that gets no answer becomes the leader. The higher term wins, then the smaller name. */
type Word =
  | { kind: 'who'; tab: string }
  | { kind: 'lead'; tab: string; term: number }
  | { kind: 'leaving'; tab: string; term: number }

const ANSWER_MS = 400
/** Two that claim in the same moment hear of each other before either acts. */
const SETTLE_MS = 200

export function openMessageLead(channel: BroadcastChannel, tab: string, { onGained, onLost }: Turns): Leadership {
  let term = 0
  let leader: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isActing = false

  const say = (word: Word) => channel.postMessage(word)
  const later = (run: () => void, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(run, ms)
  }

  function ask(): void {
    leader = null
    say({ kind: 'who', tab })
    later(claim, ANSWER_MS)
  }

  function claim(): void {
    term++
    leader = tab
    say({ kind: 'lead', tab, term })
    later(() => {
      if (leader !== tab || isActing) return
      isActing = true
      onGained()
    }, SETTLE_MS)
  }

  function follow(word: { tab: string; term: number }): void {
    clearTimeout(timer)
    leader = word.tab
    term = word.term
    if (!isActing) return
    isActing = false
    onLost()
  }

  function hear({ data }: MessageEvent<Word>): void {
    if (data.kind === 'who' && leader === tab) say({ kind: 'lead', tab, term })
    if (data.kind === 'leaving' && leader === data.tab) {
      term = Math.max(term, data.term)
      ask()
    }
    if (data.kind !== 'lead') return
    const isWeaker = data.term < term || (data.term === term && leader === tab && data.tab > tab)
    if (isWeaker && leader === tab) say({ kind: 'lead', tab, term })
    else if (!isWeaker) follow(data)
  }

  channel.addEventListener('message', hear)
  ask()
  return {
    takeOver() {
      if (leader !== tab) claim()
    },
    isStillMine: async () => {
      say({ kind: 'who', tab })
      await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
      return isActing
    },
    close() {
      clearTimeout(timer)
      channel.removeEventListener('message', hear)
      if (leader === tab) say({ kind: 'leaving', tab, term })
      isActing = false
    },
  }
}
