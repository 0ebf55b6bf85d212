/** A session as a line of `/sessions` and `/resume`. Owns: that line. Pure. */
import type { SessionMeta } from "../store/SessionIndex.ts"
import { sanitise } from "./Sanitise.ts"

/** One of another directory says so. */
export const sessionRow = (meta: SessionMeta, here: string): string => {
  const title = sanitise(meta.title === "" ? "-" : meta.title)
  const elsewhere = meta.workspace === here ? "" : `  [${sanitise(meta.workspace)}]`
  return `${meta.updated_at.slice(0, 16).replace("T", " ")}  ${meta.session_id}${elsewhere}  ${title}`
}

/** To be chosen from. */
export const choice = (here: string) => (meta: SessionMeta) => ({
  label: sessionRow(meta, here),
  command: { name: "resume", argument: meta.session_id }
})
