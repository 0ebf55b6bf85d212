/** What the session does now, and since when. */
import { duration } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"
import { useNow } from "./useNow.ts"
import { useView } from "./SessionContext.ts"

export const Doing = () => {
  const words = useWords()
  const doing = useView((view) => view.doing)
  const task = useView(({ state }) => state.task)
  const running = task !== undefined || doing.task !== undefined
  const online = useView(({ link }) => link.kind === "ready")
  const writes = useView(({ items }) => {
    const last = items.at(-1)
    return last?.kind === "answer" && last.open && last.text !== ""
  })
  const now = useNow(running && online)
  if (!running) return <span className="doing hint">{words.composerHint}</span>
  const wait = doing.retry === undefined ? 0 : Math.ceil((doing.retry.until - now) / 1_000)
  const state =
    wait > 0
      ? words.retrying(wait, doing.retry?.attempt ?? 1)
      : doing.place === undefined
        ? writes && doing.state === "waiting_response"
          ? words.answering
          : words.state[doing.state]
        : words.inLine(doing.place)
  const since = doing.task === undefined ? undefined : Math.max(0, Math.floor((now - doing.task.since) / 1_000) * 1_000)
  return (
    <span className="doing" data-state={doing.state}>
      <span className="dot" aria-hidden />
      {state}
      {since === undefined || since < 1_000 ? null : <span className="quiet">{duration(since)}</span>}
    </span>
  )
}
