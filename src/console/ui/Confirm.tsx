/** A question before something that cannot be taken back. */
import { AlertDialog } from "@base-ui/react/alert-dialog"
import { useWords } from "../words/useWords.ts"

interface ConfirmProps {
  readonly open: boolean
  readonly title: string
  readonly text: string
  readonly action: string
  readonly confirm: () => void
  readonly close: () => void
}

export const Confirm = ({ open, title, text, action, confirm, close }: ConfirmProps) => {
  const words = useWords()
  return (
    <AlertDialog.Root open={open} onOpenChange={(now) => (now ? undefined : close())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog small">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description>{text}</AlertDialog.Description>
          <div className="dialog-actions">
            <AlertDialog.Close className="button">{words.cancel}</AlertDialog.Close>
            <button
              type="button"
              className="button danger solid"
              onClick={() => {
                close()
                confirm()
              }}
            >
              {action}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
