/** That the connection is lost, or the server ends: what still works, and what goes on by itself (R252, R254). */
import { CloudOff, RefreshCw } from "lucide-react"
import { useEffect, useState, useSyncExternalStore } from "react"
import { useWords } from "../words/useWords.ts"
import { useView } from "./SessionContext.ts"

/** A short cut is mended before anybody needs to know of it. */
const PATIENCE_MS = 700

const followNetwork = (changed: () => void) => {
  addEventListener("online", changed)
  addEventListener("offline", changed)
  return () => {
    removeEventListener("online", changed)
    removeEventListener("offline", changed)
  }
}

/** A socket does not notice that the network has gone; the browser does. */
const useNetwork = (): boolean => useSyncExternalStore(followNetwork, () => navigator.onLine)

const useLost = (): boolean => {
  const ready = useView(({ link }) => link.kind === "ready")
  const network = useNetwork()
  const connected = ready && network
  const [lost, setLost] = useState(false)
  useEffect(() => {
    if (connected) return setLost(false)
    const timer = setTimeout(() => setLost(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [connected])
  return lost
}

export const LinkBanner = () => {
  const words = useWords()
  const lost = useLost()
  const link = useView((view) => view.link)
  const draining = useView((view) => view.draining)
  const held = useView(({ status }) => status?.held_by)
  const text =
    link.kind === "ended"
      ? words.linkEnded(link.error?.message ?? "")
      : lost
        ? words.offline
        : draining
          ? words.draining
          : held === undefined
            ? undefined
            : words.heldElsewhere
  return (
    <div role="status" className="link-slot">
      {text === undefined ? null : (
        <p className="link-banner">
          {lost ? <CloudOff aria-hidden size={16} /> : <RefreshCw aria-hidden size={16} />}
          <span>{text}</span>
          {link.kind === "ended" ? (
            <button type="button" className="link-button" onClick={() => location.reload()}>
              {words.reload}
            </button>
          ) : null}
        </p>
      )}
    </div>
  )
}
