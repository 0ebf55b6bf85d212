/** Keys of the whole page. Invariant: none of them is a bare letter, so that typing never does anything else. */
import { useEffect, useRef } from "react"

interface Keys {
  readonly palette: () => void
  readonly newSession: () => void
  /** To a question that no card on this page asks. */
  readonly elsewhere: () => void
}

/** The oldest question on this page; false: there is none. */
const toApproval = (): boolean => {
  const card = document.querySelector<HTMLElement>(".approval")
  card?.scrollIntoView({ block: "nearest" })
  card?.focus()
  return card !== null
}

const toComposer = (): void => document.querySelector<HTMLElement>(".composer textarea")?.focus()

export const useKeys = (keys: Keys): void => {
  const held = useRef(keys)
  useEffect(() => {
    held.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, code } = event
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") held.current.palette()
      else if (altKey && !ctrlKey && !metaKey && code === "KeyN") held.current.newSession()
      else if (altKey && !ctrlKey && !metaKey && code === "KeyA") {
        if (!toApproval()) held.current.elsewhere()
      } else if (altKey && !ctrlKey && !metaKey && code === "KeyC") toComposer()
      else return
      event.preventDefault()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
}
