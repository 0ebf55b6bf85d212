/** Something that is fetched for a part of the page, and again when it is asked to. */
import { useCallback, useEffect, useState } from "react"

export interface Loaded<A> {
  readonly value: A | undefined
  readonly failed: boolean
  readonly again: () => void
}

/** `key`: when it changes, what was fetched is old. */
export const useLoaded = <A>(load: () => Promise<A>, key: string): Loaded<A> => {
  const [value, setValue] = useState<A>()
  const [failed, setFailed] = useState(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    let current = true
    const done = (found: A | undefined) => {
      if (!current) return
      setFailed(found === undefined)
      if (found !== undefined) setValue(found)
    }
    load().then(done, () => done(undefined))
    return () => {
      current = false
    }
    // `key` names what `load` fetches.
  }, [key, round])
  const again = useCallback(() => setRound((count) => count + 1), [])
  return { value, failed, again }
}
