/** Calls somebody who looks elsewhere: a question waits. Owns: the browser's notifications and the title of the page. */
import { useEffect, useRef } from "react"
import { useLocation } from "wouter"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { look } from "../state/look.ts"
import { named } from "../text/named.ts"
import { useWords } from "../words/useWords.ts"
import { wantQuestion } from "../session/useFollow.ts"
import { callFor } from "./calling.ts"
import { sessionsPath } from "./route.ts"

export const Notifier = () => {
  const words = useWords()
  const [, go] = useLocation()
  const waiting = useStore(hub.store, (view) => view.waiting)
  const notify = useStore(look, (view) => view.notify)
  const told = useRef(new Set<string>())
  useEffect(() => {
    document.title = waiting.length === 0 ? "claw" : `(${waiting.length}) claw`
    const fresh = waiting.filter(({ request }) => !told.current.has(request.request_id))
    for (const { session_id, title, request } of fresh) {
      told.current.add(request.request_id)
      if (!notify || document.hasFocus()) continue
      const call = { title: words.approvalTitle(request.tool_name), body: named(title, words.untitled) }
      callFor({ ...call, tag: request.request_id }, () => {
        window.focus()
        wantQuestion(request.request_id)
        go(sessionsPath([session_id]))
      })
    }
  }, [waiting, notify, words, go])
  return null
}
