/**
 * Which session a person means (issue 5). Owns: an id, or the start or end of one where that is one session's alone;
 * and what is said of a session's directory. Invariant: what could be two sessions is never one of them.
 */
import { Effect, Schema } from "effect"
import type { Locale } from "../cli/Commands.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { cut } from "../cli/Width.ts"
import { SessionId } from "../domain/Ids.ts"
import { type Standing, standingOf } from "../sandbox/WorkspaceIdentity.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { type Failure, refusal } from "./failure.ts"
import { noSessionId } from "./workspace.ts"

/** Candidates that are named. */
const SHOWN = 8

const ambiguous = (text: string, found: ReadonlyArray<SessionMeta>): Failure => {
  const some = found.slice(0, SHOWN).map(({ session_id, title }) => `  ${session_id}  ${sanitise(title).slice(0, 60)}`)
  const [shown, over] = [text.slice(0, 40), found.length - SHOWN]
  const listed = (head: string, more: string) => [head, ...some, ...(over > 0 ? [`  … ${more}`] : [])].join("\n")
  return refusal(
    listed(`"${shown}" could be ${found.length} sessions:`, `${over} more`),
    listed(`“${shown}”可能是 ${found.length} 个会话中的任何一个：`, `另有 ${over} 个`)
  )
}

/** The local owner's session that this names; `session_not_found` otherwise. */
export const sessionNamed = Effect.fnUntraced(function* (text: string) {
  const index = yield* SessionIndex
  if (!Schema.is(SessionId)(text)) return yield* noSessionId(text)
  const exact = yield* Effect.result(index.get(text))
  if (exact._tag === "Success") return exact.success
  if (exact.failure.code !== "session_not_found") return yield* exact.failure
  const all = yield* index.list({ limit: Number.MAX_SAFE_INTEGER })
  const found = all.filter(({ session_id: id }) => id.startsWith(text) || id.endsWith(text))
  const [only] = found
  if (only === undefined) return yield* exact.failure
  return found.length === 1 ? only : yield* ambiguous(text, found)
})

export const standing = (meta: SessionMeta): Standing => standingOf(meta.workspace, meta.workspace_id)

/** What a person is told of a directory that is not as it was; nothing where it is. */
export const standingNote = (meta: SessionMeta, locale: Locale): string | undefined => {
  const path = sanitise(meta.workspace)
  const { session_id: id } = meta
  const go = `claw fork ${id} --cwd DIR`
  switch (standing(meta)) {
    case "there":
      return undefined
    case "gone":
      return locale === "en"
        ? `The directory of session ${id}, ${path}, is gone: it was moved or deleted. To go on elsewhere: ${go}`
        : `会话 ${id} 的目录 ${path} 已不存在：可能被移动或删除。要在别处继续：${go}`
    case "replaced":
      return locale === "en"
        ? `Another directory stands at ${path} than when session ${id} was made there.`
        : `${path} 现在是另一个目录，并非创建会话 ${id} 时的那一个。`
  }
}

const marks = {
  en: { gone: "  [directory gone]", replaced: "  [another directory]", there: "" },
  "zh-CN": { gone: "  [目录已不存在]", replaced: "  [目录已更换]", there: "" }
} satisfies Record<Locale, object>

/** A session as a line of a list. */
export const sessionRow = (meta: SessionMeta, columns: number, locale: Locale): string => {
  const title = sanitise(meta.title === "" ? "-" : meta.title).replaceAll("\n", "⏎")
  const head = `${meta.updated_at.slice(0, 16).replace("T", " ")}  ${meta.session_id}  `
  return `${head}${cut(title, Math.max(20, columns - head.length))}${marks[locale][standing(meta)]}\n`
}
