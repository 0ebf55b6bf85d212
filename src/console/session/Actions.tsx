/** What can be done with a session as a whole. */
import { Menu } from "@base-ui/react/menu"
import { Archive, ArchiveRestore, Columns2, Ellipsis, Eraser, FileClock, GitFork, Trash2 } from "lucide-react"
import { type ReactNode, useState } from "react"
import { api } from "../net/api.ts"
import { hub } from "../state/hub.ts"
import { Confirm } from "../ui/Confirm.tsx"
import { useWords } from "../words/useWords.ts"
import { type Around, carryOut } from "./commands.ts"
import { useSession, useView } from "./SessionContext.ts"

interface EntryProps {
  readonly icon: ReactNode
  readonly look?: string
  readonly act: () => void
  readonly children: string
}

const Entry = ({ icon, look = "", act, children }: EntryProps) => (
  <Menu.Item className={`menu-item ${look}`} onClick={act}>
    {icon}
    {children}
  </Menu.Item>
)

const useActions = (around: Around) => {
  const session = useSession()
  const gone = () => {
    hub.forget(session.id)
    around.go("")
    // The menu that had the focus is gone.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#main")?.focus())
  }
  const refused = (error: Parameters<typeof session.refuse>[0]) => session.refuse(error)
  const back = () => {
    session.relook({ archived: false })
    void hub.refresh()
  }
  return {
    fork: () => carryOut(session, { name: "fork", word: "" }, around),
    clear: () => carryOut(session, { name: "clear", word: "" }, around),
    changes: () => carryOut(session, { name: "diff", word: "" }, around),
    beside: () => around.beside(session.id),
    archive: () => void api.change(session.id, { archived: true }).then(gone, refused),
    unarchive: () => void api.change(session.id, { archived: false }).then(back, refused),
    remove: () => void api.remove(session.id).then(gone, refused)
  }
}

const Actions = ({ around }: { readonly around: Around }) => {
  const words = useWords()
  const { fork, clear, changes, beside, archive, unarchive, remove } = useActions(around)
  const archived = useView(({ status }) => status?.archived === true)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="icon-button" aria-label={words.actions}>
          <Ellipsis aria-hidden size={18} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="positioner" align="end" sideOffset={6}>
            <Menu.Popup className="menu">
              <Entry icon={<Columns2 aria-hidden size={16} />} look="wide-only" act={beside}>
                {words.openBeside}
              </Entry>
              <Entry icon={<GitFork aria-hidden size={16} />} act={fork}>
                {words.fork}
              </Entry>
              <Entry icon={<FileClock aria-hidden size={16} />} act={changes}>
                {words.changesEntry}
              </Entry>
              <Entry icon={<Eraser aria-hidden size={16} />} act={clear}>
                {words.clear}
              </Entry>
              {archived ? (
                <Entry icon={<ArchiveRestore aria-hidden size={16} />} act={unarchive}>
                  {words.unarchive}
                </Entry>
              ) : (
                <Entry icon={<Archive aria-hidden size={16} />} act={archive}>
                  {words.archive}
                </Entry>
              )}
              <Menu.Separator className="menu-line" />
              <Entry icon={<Trash2 aria-hidden size={16} />} look="danger" act={() => setAsking(true)}>
                {words.remove}
              </Entry>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Confirm
        open={asking}
        title={words.removeTitle}
        text={words.removeText}
        action={words.remove}
        confirm={remove}
        close={() => setAsking(false)}
      />
    </>
  )
}

export default Actions
