/**
 * Where one writes. Owns: keys, commands, files, what becomes of a prompt while a task runs. Invariants: the draft is the
 * session's and survives everything; Enter sends once, and never in the middle of composing a character.
 */
import { type KeyboardEvent, useRef, useState } from "react"
import { keep, kept } from "../state/kept.ts"
import type { Around } from "./commands.ts"
import { ComposerBar } from "./ComposerBar.tsx"
import { Refusal } from "./Refusal.tsx"
import { useSession, useView } from "./SessionContext.ts"
import { SlashMenu } from "./SlashMenu.tsx"
import { useFiles } from "./useFiles.ts"
import { useSlash } from "./useSlash.ts"
import { useSubmit } from "./useSubmit.ts"
import { useWantedFocus } from "./useWantedFocus.ts"
import { Writing } from "./Writing.tsx"
import { Queue } from "./Queue.tsx"

export type WhenBusy = "queue" | "steer"

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
  const slash = useSlash(draft, { edit, submit })
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
          offers={slash.offers}
          chosen={slash.chosen}
          pick={(offer) => {
            slash.pick(offer)
            area.current?.focus()
          }}
        />
        <Writing
          area={area}
          active={slash.offers[slash.chosen]?.name}
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
