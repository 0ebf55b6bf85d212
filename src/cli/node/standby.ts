/**
 * Ctrl-Z: the terminal goes back to the shell, and comes back with `fg`. Owns: stopping this process and whoever shares
 * its job, and noticing that it goes on. Does not own: what a terminal needs to be given away and taken again.
 * Invariant: what was given away is taken again, also where nobody could take it (no shell, so nothing stops).
 */

/** Milliseconds after which a process that was not stopped goes on: one without a shell never is. */
const UNSTOPPED_MS = 250

interface Standby {
  /** Gives the terminal away. */
  readonly leave: () => void
  /** Takes it again; whoever had it meanwhile may have changed it. */
  readonly comeBack: () => void
}

/** `stop` at a person's key; `close` with the terminal. A SIGCONT after somebody else's stop is heard, too. */
export const makeStandby = ({ comeBack, leave }: Standby) => {
  let timer: NodeJS.Timeout | undefined
  const goOn = () => {
    clearTimeout(timer)
    comeBack()
  }
  process.on("SIGCONT", goOn)
  return {
    stop: () => {
      if (process.platform === "win32") return
      leave()
      // As the terminal itself would: all of the foreground job, npm or another Node above this one too.
      process.kill(0, "SIGTSTP")
      clearTimeout(timer)
      timer = setTimeout(goOn, UNSTOPPED_MS)
    },
    close: () => {
      clearTimeout(timer)
      process.off("SIGCONT", goOn)
    }
  }
}
