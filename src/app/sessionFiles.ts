/**
 * `claw sessions export` and `import`: a session as a file (issue 5). Owns: which format, where it goes, what is masked,
 * and where an import lands. Invariants: a file that exists is never written over, and a new one is 0600 and whole; what claw
 * knows as secret leaves in no format; an import is a copy that grants nothing, in the directory in which it was
 * imported and with no mode of its own; a bad file stores nothing.
 */
import { writeFileSync } from "node:fs"
import { open as openFile, readFile, stat } from "node:fs/promises"
import { extname } from "node:path"
import { Effect, Redacted, Result } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { toHtml, toMarkdown } from "../cli/SessionExport.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { repositorySecrets } from "../config/RepositorySecrets.ts"
import { isPrivate } from "../domain/Event.ts"
import { newSessionId, type SessionId } from "../domain/Ids.ts"
import { localOwner, sessionKey } from "../domain/Principal.ts"
import * as Redact from "../observability/Redact.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import * as SessionCopy from "../runtime/SessionCopy.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import type { JournalRecord } from "../store/Journal.ts"
import * as NewFile from "../store/NewFile.ts"
import * as SessionFile from "../store/SessionFile.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { Failure } from "./failure.ts"
import { sessionNamed } from "./sessionNamed.ts"
import { workspaceOf } from "./workspace.ts"

type Format = "json" | "markdown" | "html"

const texts = {
  en: {
    exists: (file: string) => `${file} exists already; it is not written over.`,
    unknown: (file: string) =>
      `What ${file} is to be does not follow from its name: say --format markdown, html or json.`,
    unwritten: (file: string, why: string) => `${file} cannot be written: ${why}`,
    wrote: (file: string, events: number) => `wrote ${events} events to ${file}`,
    imported: (id: string, events: number) => `imported ${events} events as ${id}`,
    renamed: (from: string, to: string) => `the id ${from} is taken here; the copy is ${to}.`,
    moved: (from: string, to: string) => `it was exported from ${from}; here it works in ${to}.`
  },
  "zh-CN": {
    exists: (file: string) => `${file} 已存在，不会覆盖。`,
    unknown: (file: string) => `无法从文件名 ${file} 判断格式：请指定 --format markdown、html 或 json。`,
    unwritten: (file: string, why: string) => `无法写入 ${file}：${why}`,
    wrote: (file: string, events: number) => `已将 ${events} 个事件写入 ${file}`,
    imported: (id: string, events: number) => `已导入 ${events} 个事件，会话为 ${id}`,
    renamed: (from: string, to: string) => `标识 ${from} 在此已被占用，副本为 ${to}。`,
    moved: (from: string, to: string) => `它导出自 ${from}；在此处的目录为 ${to}。`
  }
} satisfies Record<Locale, object>

type Fault = "ENOENT" | "ENOTDIR" | "EISDIR" | "EACCES" | "EPERM" | "EROFS" | "ENOSPC" | "ENAMETOOLONG"

const faults: Readonly<Record<Locale, Readonly<Record<Fault, string>>>> = {
  en: {
    ENOENT: "there is no such directory.",
    ENOTDIR: "a part of its path is a file.",
    EISDIR: "it is a directory.",
    EACCES: "you may not write there.",
    EPERM: "you may not write there.",
    EROFS: "its file system is read-only.",
    ENOSPC: "the disk is full.",
    ENAMETOOLONG: "its name is too long."
  },
  "zh-CN": {
    ENOENT: "没有这个目录。",
    ENOTDIR: "路径中有一部分是文件。",
    EISDIR: "它是一个目录。",
    EACCES: "你无权写入该处。",
    EPERM: "你无权写入该处。",
    EROFS: "其文件系统为只读。",
    ENOSPC: "磁盘已满。",
    ENAMETOOLONG: "文件名过长。"
  }
}

const BY_EXTENSION: Readonly<Record<string, Format>> = {
  ".json": "json",
  ".html": "html",
  ".htm": "html",
  ".md": "markdown",
  ".markdown": "markdown",
  ".txt": "markdown",
  "": "markdown"
}

/** A name that promises something else gets no file. */
const formatOf = ({ switches, values }: CommandLine, file: string): Format | undefined => {
  const named = values["format"]
  if (named === "json" || named === "markdown" || named === "html") return named
  if (switches.has("json")) return "json"
  return BY_EXTENSION[extname(file).toLowerCase()]
}

const maskAll = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === "string") return mask(value)
  if (Array.isArray(value)) return value.map((one) => maskAll(one, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskAll(one, mask)]))
}

/** JSON is taken in again: only what is certainly secret goes out of it. A page for readers also hides what looks so. */
const written = (config: ConfigShape, meta: SessionMeta, records: ReadonlyArray<JournalRecord>, format: Format) => {
  const secrets = [...config.secrets, ...repositorySecrets(meta.workspace)].map(Redacted.value)
  if (format === "json") {
    const mask = Redact.maskKnown(secrets)
    const clean = records.map((one) => ({ ...one, body: maskAll(one.body, mask) as JournalRecord["body"] }))
    return SessionFile.write({ ...meta, title: mask(meta.title) }, clean, new Date().toISOString())
  }
  const facts = records.flatMap(({ seq = 0, ts, body }) => (isPrivate(body) ? [] : [{ seq, ts, body }]))
  const exported = { meta, facts, mask: Redact.make(secrets).text, locale: config.locale }
  return format === "html" ? toHtml(exported) : toMarkdown(exported)
}

const save = (file: string, text: string, locale: Locale) =>
  Effect.try({
    try: () => NewFile.put(file, (path) => writeFileSync(path, text, { flag: "wx", mode: 0o600 })),
    catch: (cause) => {
      const { code, message } = cause as NodeJS.ErrnoException
      const words = texts[locale]
      return new Failure({
        exit: EXIT.failed,
        detail: code === "EEXIST" ? words.exists(file) : words.unwritten(file, faults[locale][code as Fault] ?? message)
      })
    }
  })

export const exportSession = Effect.fnUntraced(function* (
  text: string,
  file: string | undefined,
  line: CommandLine,
  config: ConfigShape
) {
  const output = yield* Output
  const format = formatOf(line, file ?? "-")
  if (format === undefined)
    return yield* new Failure({ exit: EXIT.usage, detail: texts[config.locale].unknown(file ?? "-") })
  const meta = yield* sessionNamed(text)
  const { session_id } = meta
  const records = yield* SessionCopy.factsUpTo(sessionKey(meta.owner, session_id))
  const content = written(config, meta, records, format)
  if (file === undefined || file === "-") {
    yield* output.out(content)
    return EXIT.done
  }
  yield* save(file, content, config.locale)
  const told = line.switches.has("json")
    ? JSON.stringify({ exported: session_id, file, format, events: records.length })
    : texts[config.locale].wrote(file, records.length)
  yield* output.out(`${told}\n`)
  return EXIT.done
})

const refused = (file: string, why: string) =>
  new RuntimeError({ code: "bad_session_file", detail: `${file} cannot be imported. ${why}` })

const UNREAD: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file.",
  EISDIR: "It is a directory.",
  EACCES: "It may not be read.",
  ERR_ENCODING_INVALID_ENCODED_DATA: "It is no UTF-8 text."
}

const whyUnread = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause ? String(cause.code) : ""
  return Object.hasOwn(UNREAD, code) ? UNREAD[code]! : `${cause.message}.`
}

/** All of it, where it is a file of a size that can be one. */
const textOf = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      const { size } = await stat(file)
      if (size > SessionFile.MOST_BYTES) throw new Error(`it is larger than ${SessionFile.MOST_BYTES >> 20} MiB`)
      const handle = await openFile(file)
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(handle))
      } finally {
        await handle.close()
      }
    },
    catch: (cause) => refused(file, whyUnread(cause))
  })

const freeId = Effect.fnUntraced(function* (wanted: SessionId) {
  const index = yield* SessionIndex
  const taken = yield* Effect.result(index.get(wanted))
  if (taken._tag === "Success") return newSessionId("import")
  return taken.failure.code === "session_not_found" ? wanted : yield* taken.failure
})

export const importSession = Effect.fnUntraced(function* (file: string, json: boolean, config: ConfigShape) {
  const output = yield* Output
  const read = SessionFile.read(yield* textOf(file))
  if (Result.isFailure(read)) return yield* refused(file, read.failure)
  const { session, facts } = read.success
  const workspace = yield* Effect.fromResult(workspaceOf(config))
  const session_id = yield* freeId(session.session_id)
  const now = new Date().toISOString()
  const workspace_id = identityOf(workspace)
  const { title, model, created_at } = session
  const place = workspace_id === undefined ? { workspace } : { workspace, workspace_id }
  const meta = { session_id, ...place, title, ...(model === undefined ? {} : { model }), created_at, updated_at: now }
  const records = SessionCopy.copyOf(facts, now, "imported")
  yield* SessionCopy.store(localOwner, meta, records)
  const events = records.length
  const words = texts[config.locale]
  if (json) {
    yield* output.out(`${JSON.stringify({ imported: session_id, from: session.session_id, events, workspace })}\n`)
    return EXIT.done
  }
  if (session_id !== session.session_id) yield* output.err(`claw: ${words.renamed(session.session_id, session_id)}\n`)
  if (workspace !== session.workspace)
    yield* output.err(`claw: ${sanitise(words.moved(JSON.stringify(session.workspace), workspace))}\n`)
  yield* output.out(`${words.imported(session_id, events)}\n`)
  return EXIT.done
})
