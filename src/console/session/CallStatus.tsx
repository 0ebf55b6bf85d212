/** How a call stands, in a few words: waits, runs since, ended how. */
import { phaseOf, tookOf } from "../state/callState.ts"
import type { CallItem } from "../state/items.ts"
import { duration } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"
import { useNow } from "./useNow.ts"

const Running = ({ since }: { readonly since: number }) => {
  const now = useNow()
  return <span className="status running">{duration(Math.max(0, Math.floor((now - since) / 1_000) * 1_000))}</span>
}

export const CallStatus = ({ call }: { readonly call: CallItem }) => {
  const words = useWords()
  const phase = phaseOf(call)
  if (phase === "running") return <Running since={call.started_at ?? call.inside?.since ?? 0} />
  if (phase !== "ended" || call.result === undefined) return <span className="status">{words.callPhase[phase]}</span>
  const { status, exit_code, signal } = call.result
  const took = tookOf(call)
  const how =
    exit_code !== undefined && exit_code !== 0
      ? words.exit(exit_code)
      : signal !== undefined
        ? words.signal(signal)
        : status === "ok"
          ? undefined
          : words.toolStatus[status]
  return (
    <span className="status">
      {how === undefined ? null : <strong>{how}</strong>}
      {status === "denied" || took === undefined ? null : <span>{duration(took)}</span>}
    </span>
  )
}
