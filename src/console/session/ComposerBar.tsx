/** Below the text: how a running task is spoken to, what it does now, stop and send. */
import { ArrowUp, Paperclip, Square } from "lucide-react"
import { useRef, useState } from "react"
import { useWords } from "../words/useWords.ts"
import type { WhenBusy } from "./Composer.tsx"
import { Doing } from "./Doing.tsx"
import { useSession, useView } from "./SessionContext.ts"

interface BarProps {
  readonly whenBusy: WhenBusy
  readonly setWhenBusy: (how: WhenBusy) => void
  readonly insertFiles: (files: FileList | null) => boolean
}

const Files = ({ insertFiles }: Pick<BarProps, "insertFiles">) => {
  const words = useWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={words.attach}
        title={words.attach}
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden size={16} />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.attach}
        onChange={({ target }) => {
          insertFiles(target.files)
          target.value = ""
        }}
      />
    </>
  )
}

const How = ({ whenBusy, setWhenBusy }: Omit<BarProps, "insertFiles">) => {
  const words = useWords()
  return (
    <div className="segments" role="radiogroup" aria-label={words.whenBusyLabel}>
      {(["queue", "steer"] as const).map((how) => (
        <label key={how} title={words.whenBusyHint[how]}>
          <input type="radio" name="when-busy" checked={whenBusy === how} onChange={() => setWhenBusy(how)} />
          <span>{words.whenBusy[how]}</span>
        </label>
      ))}
    </div>
  )
}

const Stop = () => {
  const session = useSession()
  const words = useWords()
  const [stopping, setStopping] = useState(false)
  const stop = async () => {
    setStopping(true)
    await session.stop()
    setStopping(false)
  }
  return (
    <button type="button" className="button stop" disabled={stopping} onClick={() => void stop()}>
      <Square aria-hidden size={12} fill="currentColor" /> {stopping ? words.stopping : words.stop}
    </button>
  )
}

export const ComposerBar = ({ whenBusy, setWhenBusy, insertFiles }: BarProps) => {
  const words = useWords()
  const running = useView(({ state, doing }) => state.task !== undefined || doing.task !== undefined)
  const empty = useView(({ draft }) => draft.trim() === "")
  return (
    <div className="composer-bar">
      <Files insertFiles={insertFiles} />
      <Doing />
      {running ? <How whenBusy={whenBusy} setWhenBusy={setWhenBusy} /> : null}
      {running ? <Stop /> : null}
      <button
        type="submit"
        className="send"
        disabled={empty}
        aria-label={running ? words.whenBusy[whenBusy] : words.send}
      >
        <ArrowUp aria-hidden size={18} />
      </button>
    </div>
  )
}
