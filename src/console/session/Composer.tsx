/**
 * Where one writes. Owns: keys, commands, files, what becomes of a prompt while a task runs. Invariants: the draft is the
 * session's and survives everything; Enter sends once, and never in the middle of composing a character.
 */
import { type KeyboardEvent, useRef, useState } from "react"
import { keep, kept } from "../state/kept.ts"
import { type Around, carryOut } from "./commands.ts"
import { ComposerBar } from "./ComposerBar.tsx"
import { Refusal } from "./Refusal.tsx"
import { useSession, useView } from "./SessionContext.ts"
import { type CommandName, offered, takesWord, typed } from "./slash.ts"
import { SlashMenu } from "./SlashMenu.tsx"
import { useFiles } from "./useFiles.ts"
import { useWantedFocus } from "./useWantedFocus.ts"
import { Writing } from "./Writing.tsx"
import { Queue } from "./Queue.tsx"

export type WhenBusy = "queue" | "steer"

const useSubmit = (around: Around, whenBusy: WhenBusy) => {
  const session = useSession()
  return () => {
    const { draft, state, doing } = session.store.getState()
    if (draft.trim() === "") return
    const command = typed(draft)
    if (command !== undefined) {
      session.edit("")
      return carryOut(session, command, around)
    }
    const busy = state.task !== undefined || doing.task !== undefined
    session.send(draft, busy ? whenBusy : "queue")
  }
}

/** What the keys do: the list of commands has them first, then the text. */
const useSlash = (draft: string, edit: (text: string) => void, around: Around) => {
  const session = useSession()
  const [place, setPlace] = useState(0)
  const [closed, setClosed] = useState(false)
  const commands = closed ? [] : offered(draft)
  const chosen = Math.min(place, commands.length - 1)
  const pick = (name: CommandName) => {
    edit(takesWord.has(name) ? `/${name} ` : "")
    if (!takesWord.has(name)) carryOut(session, { name, word: "" }, around)
  }
  /** True where the key was meant for the list. */
  const take = (key: string): boolean => {
    const name = commands[chosen]
    if (name === undefined) return false
    const moved = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (moved !== undefined) setPlace((chosen + moved + commands.length) % commands.length)
    else if (key === "Tab" || key === "Enter") pick(name)
    else if (key === "Escape") setClosed(true)
    else return false
    return true
  }
  const typing = () => {
    setClosed(false)
    setPlace(0)
  }
  return { commands, chosen, pick, take, typing }
}

const usePersisted = (): readonly [WhenBusy, (how: WhenBusy) => void] => {
  const [whenBusy, setWhenBusy] = useState<WhenBusy>(() => kept<WhenBusy>("busy", "queue"))
  const set = (how: WhenBusy) => {
    setWhenBusy(how)
    keep("busy", how)
  }
  return [whenBusy, set]
}

export const Composer = ({ around }: { readonly around: Around }) => {
  const session = useSession()
  const draft = useView((view) => view.draft)
  const area = useRef<HTMLTextAreaElement>(null)
  const [whenBusy, setWhenBusy] = usePersisted()
  const submit = useSubmit(around, whenBusy)
  const edit = (text: string) => session.edit(text)
  const slash = useSlash(draft, edit, around)
  useWantedFocus(session.id, area)
  const take = useFiles()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229) return
    if (!slash.take(event.key)) {
      if (event.key !== "Enter" || event.shiftKey) return
      submit()
    }
    event.preventDefault()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Refusal />
      <Queue />
      <div className="composer-box">
        <SlashMenu
          commands={slash.commands}
          chosen={slash.chosen}
          pick={(name) => {
            slash.pick(name)
            area.current?.focus()
          }}
        />
        <Writing
          area={area}
          active={slash.commands[slash.chosen]}
          onChange={(text) => {
            slash.typing()
            edit(text)
          }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (take(event.clipboardData.files)) event.preventDefault()
          }}
        />
        <ComposerBar whenBusy={whenBusy} setWhenBusy={setWhenBusy} insertFiles={take} />
      </div>
    </form>
  )
}
