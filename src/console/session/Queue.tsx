/** Prompts that wait for the running task, and what makes them go on after a stop. */
import { Clock, CornerDownRight, X } from "lucide-react"
import { useMemo } from "react"
import { useWords } from "../words/useWords.ts"
import { firstLine } from "../text/format.ts"
import { useSession, useView } from "./SessionContext.ts"

export const Queue = () => {
  const session = useSession()
  const words = useWords()
  const all = useView(({ state }) => state.queue)
  // What a subagent reports is on its way to the model, and nobody's to take back.
  const queue = useMemo(() => all.filter(({ from }) => from === undefined), [all])
  const paused = useView(({ state }) => state.queue_paused)
  if (queue.length === 0) return null
  return (
    <section className="queue" aria-label={words.queueLabel}>
      {paused ? (
        <p className="paused">
          {words.queuePaused(queue.length)}
          <button
            type="button"
            className="link-button"
            onClick={() => void session.command({ type: "command", name: "resume_queue" })}
          >
            {words.queueContinue}
          </button>
        </p>
      ) : null}
      <ul>
        {queue.map(({ prompt_id, content, mode }) => (
          <li key={prompt_id}>
            {mode === "steer" ? <CornerDownRight aria-hidden size={14} /> : <Clock aria-hidden size={14} />}
            <span className="quiet">{words.waits[mode]}</span>
            <span className="subject">{firstLine(content)}</span>
            <button
              type="button"
              className="icon-button small"
              aria-label={words.takeBack(firstLine(content, 40))}
              onClick={() => void session.takeBack(prompt_id, content)}
            >
              <X aria-hidden size={14} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
