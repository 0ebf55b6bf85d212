/**
 * Prompts that have a name where the session works. Owns: when they are asked for: whenever somebody begins a command, so
 * that a file that was just written is there. Invariant: without an answer there are none, and nothing else changes.
 */
import { useEffect, useState } from "react"
import { api, type NamedPrompt } from "../net/api.ts"
import { useSession } from "./SessionContext.ts"

export const usePrompts = (draft: string): ReadonlyArray<NamedPrompt> => {
  const { id } = useSession()
  const [prompts, setPrompts] = useState<ReadonlyArray<NamedPrompt>>([])
  const begun = draft.startsWith("/")
  useEffect(() => {
    if (!begun) return
    let current = true
    api.prompts(id).then(
      (found) => (current ? setPrompts(found) : undefined),
      () => {}
    )
    return () => {
      current = false
    }
  }, [id, begun])
  return prompts
}
