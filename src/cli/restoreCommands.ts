/**
 * `/undo`, `/redo` and `/diff`: what a person is told of the files that a task changed. Owns: those sentences, also of
 * what is not kept. Does not own: which task it is (runtime), what is put back (sandbox).
 */
import { Effect } from "effect"
import type { Durable, KeptFile } from "../domain/Event.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"

type Restored = Durable<"files_restored">
type Said = Effect.Effect<{ readonly lines: ReadonlyArray<string>; readonly told?: boolean }, RuntimeError>

const SHOWN = 20

const reasons = {
  en: {
    changed: "changed meanwhile",
    uncertain: "changed while or after claw was killed; /undo uncertain takes it back, too",
    not_recorded: "not recorded: too large, or no regular file",
    gone: "its earlier content is not kept any more",
    blocked: "something is in its way"
  },
  "zh-CN": {
    changed: "之后又被修改",
    uncertain: "在 claw 被终止期间或之后被修改；/undo uncertain 可一并撤销",
    not_recorded: "未记录：过大，或不是普通文件",
    gone: "更早的内容已不再保留",
    blocked: "被其他文件挡住"
  }
} as const satisfies Record<Locale, Record<KeptFile["reason"], string>>

const texts = {
  en: {
    undone: (n: number) => `${n} ${n === 1 ? "file" : "files"} put back; /redo gives the changes back`,
    redone: (n: number) => `${n} ${n === 1 ? "file" : "files"} changed again; /undo takes it back`,
    nothing: "no file had to be changed",
    kept: "left as they are:",
    more: (n: number) => `  … and ${n} more`,
    noUndo:
      "there is nothing to undo: no task of this session changed a file that is recorded, or all of it is undone (/redo)",
    noDiff:
      "there is no difference: no task of this session changed a file that is recorded, or all of it is undone (/redo)",
    noRedo: "there is nothing to redo",
    rules:
      "not recorded, and never put back: what .gitignore names, files over 16 MiB, empty directories, .git itself; " +
      "what others change while a command runs counts as the command's",
    hidden: (n: number) => `… and ${n} more ${n === 1 ? "file" : "files"}`,
    argument: "/undo, or /undo uncertain",
    skipped: {
      no_git: "git was not found: what commands do to files is not recorded, and /undo cannot take it back",
      home: "this is a home directory: what commands do to files is not recorded, and /undo cannot take it back",
      too_many_files: "too many files here: what commands do to them is not recorded, and /undo cannot take it back",
      too_large:
        "the files here are too large: what commands do to them is not recorded, and /undo cannot take it back",
      too_slow: "looking at the files here takes too long: what commands do to them is not recorded",
      failed: "the files could not be recorded: /undo cannot take back what this command does"
    }
  },
  "zh-CN": {
    undone: (n: number) => `已恢复 ${n} 个文件；/redo 可还原更改`,
    redone: (n: number) => `已重新更改 ${n} 个文件；/undo 可撤销`,
    nothing: "没有需要更改的文件",
    kept: "保持原样：",
    more: (n: number) => `  … 另有 ${n} 个`,
    noUndo: "没有可撤销的内容：此会话的任务没有更改过有记录的文件，或已全部撤销（/redo）",
    noDiff: "没有差异：此会话的任务没有更改过有记录的文件，或已全部撤销（/redo）",
    noRedo: "没有可重做的内容",
    rules:
      "不记录也不恢复：.gitignore 忽略的文件、超过 16 MiB 的文件、空目录、.git 本身；命令运行期间他人的修改算作该命令的修改",
    hidden: (n: number) => `… 另有 ${n} 个文件`,
    argument: "/undo 或 /undo uncertain",
    skipped: {
      no_git: "未找到 git：命令对文件的更改不会被记录，/undo 无法撤销",
      home: "这是主目录：命令对文件的更改不会被记录，/undo 无法撤销",
      too_many_files: "文件过多：命令对文件的更改不会被记录，/undo 无法撤销",
      too_large: "文件过大：命令对文件的更改不会被记录，/undo 无法撤销",
      too_slow: "检查文件耗时过长：命令对文件的更改不会被记录",
      failed: "无法记录文件：/undo 无法撤销此命令的更改"
    }
  }
} as const satisfies Record<Locale, object>

const listed = (paths: ReadonlyArray<string>, all: number, locale: Locale): ReadonlyArray<string> => [
  ...paths.slice(0, SHOWN).map((path) => `  ${sanitise(path)}`),
  ...(all > SHOWN ? [texts[locale].more(all - SHOWN)] : [])
]

/** What is said of a restore, wherever it was asked for. */
export const restoredLines = ({ direction, files, count, kept }: Restored, locale: Locale): ReadonlyArray<string> => {
  const text = texts[locale]
  const head = count === 0 ? text.nothing : direction === "undo" ? text.undone(count) : text.redone(count)
  const left = kept.map(({ path, reason }) => `${path} (${reasons[locale][reason]})`)
  return [
    head,
    ...listed(files, count, locale),
    ...(left.length === 0 ? [] : [text.kept, ...listed(left, left.length, locale)])
  ]
}

export const skippedLine = (reason: Durable<"checkpoint_skipped">["reason"], locale: Locale): string =>
  texts[locale].skipped[reason]

const orNothing = (said: Said, line: string): Said =>
  Effect.catchIf(
    said,
    (error) => error.code === "nothing_to_restore",
    () => Effect.succeed({ lines: [line] })
  )

export const undo = (session: SessionRuntime, argument: string, locale: Locale): Said => {
  const text = texts[locale]
  if (argument !== "" && argument !== "uncertain") return Effect.succeed({ lines: [text.argument] })
  const done = session.restore("undo", { uncertain: argument === "uncertain" })
  return orNothing(
    Effect.map(done, (event) => ({ lines: restoredLines(event, locale), told: true })),
    text.noUndo
  )
}

export const redo = (session: SessionRuntime, locale: Locale): Said =>
  orNothing(
    Effect.map(session.restore("redo"), (event) => ({ lines: restoredLines(event, locale), told: true })),
    texts[locale].noRedo
  )

export const diff = (session: SessionRuntime, argument: string, locale: Locale): Said => {
  const text = texts[locale]
  const shown = Effect.map(session.difference(argument === "all"), ({ text: lines, hidden }) => ({
    lines: [...lines.trimEnd().split("\n").map(sanitise), ...(hidden > 0 ? [text.hidden(hidden)] : []), "", text.rules]
  }))
  return orNothing(shown, text.noDiff)
}
