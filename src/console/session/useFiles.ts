/** Files that come into a session, by whatever way: as text at the end of its draft, or refused. */
import { type DragEvent, useState } from "react"
import { errorBody } from "../../domain/ErrorCode.ts"
import type { SessionStore } from "../state/sessionStore.ts"
import { useWords } from "../words/useWords.ts"
import { asText } from "./pasted.ts"
import { useSession } from "./SessionContext.ts"
import { wantFocus } from "./useWantedFocus.ts"

const insert = (session: SessionStore, text: string): void => {
  const { draft } = session.store.getState()
  session.edit(draft === "" || draft.endsWith("\n") ? draft + text : `${draft}\n${text}`)
}

/** True where there were any. */
export const useFiles = (): ((files: FileList | null) => boolean) => {
  const session = useSession()
  const words = useWords()
  return (files) => {
    const all = Array.from(files ?? [])
    void Promise.all(all.map(asText)).then((found) => {
      for (const one of found)
        if ("text" in one) insert(session, one.text)
        else session.refuse(errorBody("too_large", words.fileRefused[one.refused](one.name)))
    })
    return all.length > 0
  }
}

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes("Files")

/** Takes what is dropped anywhere on it; `dropping` while something is held above it. */
export const useDrop = () => {
  const session = useSession()
  const take = useFiles()
  const [dropping, setDropping] = useState(false)
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setDropping(true)
    },
    onDragLeave: (event: DragEvent) => {
      const { currentTarget, relatedTarget } = event
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setDropping(false)
    },
    onDrop: (event: DragEvent) => {
      setDropping(false)
      if (!take(event.dataTransfer.files)) return
      event.preventDefault()
      wantFocus(session.id)
    }
  }
  return { dropping, handlers }
}
