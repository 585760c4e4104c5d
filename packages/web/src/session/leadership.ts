/**
 * Elects a leader among a user's tabs: with the Web Locks API, or with messages in browsers without locks (plain HTTP). Another
 * tab may take over from a suspended leader, so a leader calls `isStillMine` before it acts.
 */
export interface Leadership {
  /** Makes this tab the leader because the current leader does not respond. */
  takeOver(): void
  isStillMine(): Promise<boolean>
  close(): void
}

interface LeadershipHandlers {
  onGained(): void
  onLost(): void
}

/**
 * Leadership with a lock. The leader holds the lock until its tab closes; the browser then grants it to the next tab in the
 * queue.
 */
export function openLockLeadership(locks: LockManager, name: string, { onGained, onLost }: LeadershipHandlers): Leadership {
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
        // Another tab has stolen the lock.
        isMine = false
        onLost()
        ask({ signal: stop.signal })
      } else if (!(error instanceof DOMException && error.name === 'AbortError')) {
        // The browser denies locks because storage is blocked, so every tab is its own leader.
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
    /** The loss of a lock is reported in a separate task. Waiting for `query` ensures that tasks queued before it do not act. */
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

/**
 * Messages of the election. The leader replies to every tab that asks; a tab without a reply becomes the leader. The higher term
 * wins, then the smaller tab id.
 */
type ElectionMessage =
  | { kind: 'who'; tab: string }
  | { kind: 'lead'; tab: string; term: number }
  | { kind: 'leaving'; tab: string; term: number }

const ANSWER_MS = 400
/** Time to wait after a claim, so that two tabs that claim at the same time see each other before either acts. */
const SETTLE_MS = 200

export function openMessageLeadership(
  channel: BroadcastChannel,
  tab: string,
  { onGained, onLost }: LeadershipHandlers,
): Leadership {
  let term = 0
  let leader: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isActing = false

  const say = (word: ElectionMessage) => channel.postMessage(word)
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

  function hear({ data }: MessageEvent<ElectionMessage>): void {
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
