/** Makes a session: where it works and what passes unasked. */
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import { api, type Mode, MODES, type NewOptions } from "../net/api.ts"
import { wantFocus } from "../session/useWantedFocus.ts"
import { hub } from "../state/hub.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { useWords } from "../words/useWords.ts"
import { Modes } from "./Modes.tsx"
import { sessionsPath } from "./route.ts"

interface NewProps {
  readonly open: boolean
  readonly close: () => void
}

interface FieldProps {
  readonly value: string
  readonly change: (value: string) => void
}

const useOptions = () => {
  const [options, setOptions] = useState<NewOptions>()
  useEffect(() => void api.options().then(setOptions, () => {}), [])
  return options
}

interface Wanted {
  readonly title: string
  readonly workspace: string
  readonly mode: Mode | undefined
}

const useMake = (close: () => void, made: () => void) => {
  const [, go] = useLocation()
  const [refusal, setRefusal] = useState<string>()
  const [busy, setBusy] = useState(false)
  // Two clicks come before the first is drawn.
  const begun = useRef(false)
  const make = async ({ title, workspace, mode }: Wanted) => {
    if (begun.current) return
    begun.current = true
    setBusy(true)
    try {
      const { session_id } = await api.create({
        ...(workspace.trim() === "" ? {} : { workspace: workspace.trim() }),
        ...(title.trim() === "" ? {} : { title: title.trim() }),
        ...(mode === undefined ? {} : { mode })
      })
      made()
      close()
      wantFocus(session_id)
      go(sessionsPath([session_id]))
      void hub.refresh()
    } catch (error) {
      setRefusal((error as ErrorBody).message)
      begun.current = false
      setBusy(false)
    }
  }
  return { make, refusal, busy }
}

const Workspace = ({ options, value, change }: FieldProps & { readonly options: NewOptions | undefined }) => {
  const words = useWords()
  return (
    <label>
      <span>{words.workspace}</span>
      <input
        className="mono"
        value={value}
        list="workspaces"
        placeholder={options?.workspace ?? words.workspacePlaceholder}
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
      <datalist id="workspaces">
        {options?.workspaces.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  )
}

const Form = ({ close, made }: { readonly close: () => void; readonly made: () => void }) => {
  const words = useWords()
  const options = useOptions()
  const { make, refusal, busy } = useMake(close, made)
  const [workspace, setWorkspace] = useState("")
  const [title, setTitle] = useState("")
  const [chosen, setMode] = useState<Mode>()
  const mode = chosen ?? options?.modes.find((one) => one === options.mode)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void make({ title, workspace, mode })
  }
  return (
    <form className="new-session" onSubmit={submit}>
      <label>
        <span>{words.title}</span>
        <input
          value={title}
          maxLength={200}
          placeholder={words.titlePlaceholder}
          autoFocus
          onChange={({ target }) => setTitle(target.value)}
        />
      </label>
      <Workspace options={options} value={workspace} change={setWorkspace} />
      <Modes modes={options?.modes ?? MODES} mode={mode} choose={setMode} />
      <p className="refusal" role="alert" hidden={refusal === undefined}>
        {refusal}
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          {words.cancel}
        </button>
        <button type="submit" className="button primary" disabled={busy}>
          {words.create}
        </button>
      </div>
    </form>
  )
}

const NewSession = ({ open, close }: NewProps) => {
  const words = useWords()
  const isMade = useRef(false)
  // Opened again while it still closes, it begins anew all the same.
  const [form, setForm] = useState({ open, nth: 0 })
  if (form.open !== open) setForm({ open, nth: form.nth + (open ? 1 : 0) })
  useEffect(() => {
    if (open) isMade.current = false
  }, [open])
  return (
    <Sheet open={open} close={close} title={words.newSession} goesBack={() => !isMade.current}>
      <Form key={form.nth} close={close} made={() => void (isMade.current = true)} />
    </Sheet>
  )
}

export default NewSession
