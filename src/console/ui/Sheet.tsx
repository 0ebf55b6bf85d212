/** A dialog with a head and a way out. Invariant: the focus stays inside while it is open, and goes back where it was, or where its user says. */
import { Dialog } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import type { ReactNode } from "react"
import { useWords } from "../words/useWords.ts"

interface SheetProps {
  readonly open: boolean
  readonly close: () => void
  readonly title: string
  readonly look?: string
  /** Whether the focus goes back where it was when it closes; absent: it does. */
  readonly goesBack?: () => boolean
  readonly children: ReactNode
}

export const Sheet = ({ open, close, title, look = "", goesBack, children }: SheetProps) => {
  const words = useWords()
  return (
    <Dialog.Root open={open} onOpenChange={(now) => (now ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={`dialog ${look}`} finalFocus={goesBack ?? true}>
          <header className="dialog-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={words.close}>
              <X aria-hidden size={18} />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
