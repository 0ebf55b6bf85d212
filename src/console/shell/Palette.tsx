/** Every session and page by a few letters. Loaded when it is first asked for. */
import { Dialog } from "@base-ui/react/dialog"
import { Command } from "cmdk"
import { useRef } from "react"
import { useLocation } from "wouter"
import { useStore } from "zustand"
import { wantFocus } from "../session/useWantedFocus.ts"
import { hub } from "../state/hub.ts"
import { named } from "../text/named.ts"
import { useWords } from "../words/useWords.ts"
import { idsOf, sessionsPath } from "./route.ts"

interface PaletteProps {
  readonly close: () => void
  readonly newSession: () => void
}

const Palette = ({ close, newSession }: PaletteProps) => {
  const words = useWords()
  const [path, go] = useLocation()
  const went = useRef(false)
  const sessions = useStore(hub.store, (view) => view.sessions)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  return (
    <Dialog.Root open onOpenChange={(now) => (now ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label={words.palette} finalFocus={() => !went.current}>
          <Command label={words.palette}>
            <Command.Input placeholder={words.palettePlaceholder} autoFocus />
            <Command.List>
              <Command.Empty>{words.nothingFound}</Command.Empty>
              <Command.Group heading={words.sessions}>
                {sessions.map(({ session_id, title }) => (
                  <Command.Item
                    key={session_id}
                    value={`${title} ${session_id}`}
                    onSelect={then(() => {
                      went.current = true
                      wantFocus(session_id)
                      if (!idsOf(path).includes(session_id)) go(sessionsPath([session_id]))
                    })}
                  >
                    <bdi>{named(title, words.untitled)}</bdi>
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading={words.pages}>
                <Command.Item onSelect={then(newSession)}>{words.newSession}</Command.Item>
                <Command.Item onSelect={then(() => go("/usage"))}>{words.usage}</Command.Item>
                <Command.Item onSelect={then(() => go("/audit"))}>{words.audit}</Command.Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export default Palette
