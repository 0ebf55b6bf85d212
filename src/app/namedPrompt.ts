/**
 * The prompt that `claw run "/name words"` stands for. Owns: what is such a name, and why one is refused. Invariant: a name
 * that stands for nothing is never sent to a model as text; a path, or a sentence about one, always is.
 */
import { existsSync } from "node:fs"
import { Effect, Result } from "effect"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { sanitiseLine } from "../cli/Sanitise.ts"
import { slashCommands } from "../cli/SlashCommands.ts"
import { type WrittenByPeople, writtenPrompt } from "../cli/WrittenByPeople.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { commandFilesOf, standingOf } from "../config/WrittenForAgents.ts"
import { nearest } from "../domain/Nearest.ts"
import { Failure } from "./failure.ts"
import { writtenHere } from "./told.ts"

/** One word of a name's characters. A further slash makes it a path. */
const NAMED = /^\/([\p{L}\p{N}_][\p{L}\p{N}_:-]*)(?=\s|$)/u

export interface Names {
  readonly written: WrittenByPeople
  /** Names that the workspace would bring along if it were trusted. */
  readonly untrusted: ReadonlyArray<string>
  readonly isPath: (path: string) => boolean
}

const texts = {
  en: {
    own: (name: string) => `/${name} is a command of claw's prompt: start claw and type it there.`,
    untrusted: (name: string) =>
      `/${name} is a prompt of this workspace, which is not trusted. To look at it and decide: claw trust .`,
    bad: (name: string, why: string) => `/${name} cannot be used: ${why}.`,
    unknown: (name: string, near: string | undefined) =>
      `There is no prompt of the name /${name}.${near === undefined ? "" : ` Did you mean /${near}?`} ` +
      `To send it as text: claw run " /${name} …", with a space before it.`
  },
  "zh-CN": {
    own: (name: string) => `/${name} 是 claw 提示符下的命令：请启动 claw 后输入。`,
    untrusted: (name: string) => `/${name} 是此目录自带的提示，而此目录未受信任。查看并决定：claw trust .`,
    bad: (name: string, why: string) => `/${name} 无法使用：${why}。`,
    unknown: (name: string, near: string | undefined) =>
      `没有名为 /${name} 的提示。${near === undefined ? "" : `是否想用 /${near}？`}` +
      `要作为文本发送，请在前面加空格：claw run " /${name} …"。`
  }
} as const

const refusal = (name: string, { untrusted, written }: Names, locale: Locale): string => {
  const text = texts[locale]
  const own = slashCommands.map((command) => command.name)
  if (own.includes(name)) return text.own(name)
  if (untrusted.includes(name)) return text.untrusted(name)
  const broken = written.bad.find(({ path }) => path.endsWith(`commands/${name.replaceAll(":", "/")}.md`))
  if (broken !== undefined) return text.bad(name, sanitiseLine(broken.why))
  return text.unknown(name, nearest(name, [...written.prompts.map((prompt) => prompt.name), ...untrusted]))
}

/** The text that a prompt stands for, or why it stands for none. */
export const textOf = (content: string, names: Names, locale: Locale): Result.Result<string, string> => {
  const filled = writtenPrompt(content, names.written)
  if (filled !== undefined) return Result.succeed(filled)
  const [, name] = NAMED.exec(content) ?? []
  if (name === undefined || names.isPath(`/${name}`)) return Result.succeed(content)
  return Result.fail(refusal(name, names, locale))
}

/** What a run is to do. */
export const namedPrompt = Effect.fnUntraced(function* (content: string, config: ConfigShape) {
  if (!content.startsWith("/")) return content
  const written = yield* writtenHere(config)
  const here = standingOf(config, config.trust.workspace)
  const offered = here.status === "trusted" ? [] : commandFilesOf(config, { ...here, status: "trusted" })
  const untrusted = offered.flatMap(({ name, of }) => (of === "project" ? [name] : []))
  const text = textOf(content, { written, untrusted, isPath: existsSync }, config.locale)
  return yield* Effect.mapError(Effect.fromResult(text), (detail) => new Failure({ exit: EXIT.usage, detail }))
})
