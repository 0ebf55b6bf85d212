/**
 * `claw backup FILE` and `claw restore FILE` (issue 5). Owns: what is asked and told. Does not own: the copies and their
 * proof (`store/sqlite/Backup`). Invariant: a restore is a person's word, at the terminal or as `--yes`.
 */
import { resolve } from "node:path"
import { Clock, Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import * as NodeTerminal from "../cli/node/Terminal.ts"
import { Output } from "../cli/Output.ts"
import { askYes } from "../cli/YesNo.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { backup, restore, type Restored, type Whole } from "../store/sqlite/Backup.ts"
import { Failure } from "./failure.ts"
import { storeFile } from "./layers.ts"

const texts = {
  en: {
    usage: (name: string) => `claw ${name} takes one file.`,
    ask: (file: string, store: string) => `Put ${file} in the place of ${store}? What is there now is kept beside it.`,
    keys: "y restore · n leave it",
    yes: (file: string) => `Nobody can be asked here: claw restore ${file} --yes`,
    left: "nothing was changed.",
    whole: ({ sessions, records, audit_entries: entries }: Whole) =>
      `${sessions} sessions, ${records} records, ${entries} audit entries; every page and the audit's chain hold`,
    wrote: (file: string, whole: string) => `wrote ${file}: ${whole}.`,
    restored: (whole: string) => `restored: ${whole}.`,
    kept: (file: string) => `what was there is ${file}`,
    ended: (grants: number) => `${grants} grants of that time ended: you will be asked again.`,
    tokens: "tokens count as they did then: claw token list"
  },
  "zh-CN": {
    usage: (name: string) => `claw ${name} 需要一个文件。`,
    ask: (file: string, store: string) => `用 ${file} 替换 ${store}？现有内容会保留在旁边。`,
    keys: "y 恢复 · n 不变",
    yes: (file: string) => `此处无人可问：claw restore ${file} --yes`,
    left: "未作任何更改。",
    whole: ({ sessions, records, audit_entries: entries }: Whole) =>
      `${sessions} 个会话，${records} 条记录，${entries} 条审计；所有页面与审计链完好`,
    wrote: (file: string, whole: string) => `已写入 ${file}：${whole}。`,
    restored: (whole: string) => `已恢复：${whole}。`,
    kept: (file: string) => `原有内容为 ${file}`,
    ended: (grants: number) => `当时的 ${grants} 项授权已终止，之后会再次询问。`,
    tokens: "令牌恢复为当时的状态：claw token list"
  }
} satisfies Record<Locale, object>

const fileOf = (line: CommandLine, locale: Locale) => {
  const [file] = line.operands
  return file === undefined
    ? Effect.fail(new Failure({ exit: EXIT.usage, detail: texts[locale].usage(line.command.name) }))
    : Effect.succeed(resolve(file))
}

export const backupCommand = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const { locale } = config
  const file = yield* fileOf(line, locale)
  const whole = yield* backup(storeFile(config), file)
  const text = texts[locale]
  const told = line.switches.has("json")
    ? JSON.stringify({ backup: file, ...whole })
    : text.wrote(file, text.whole(whole))
  yield* output.out(`${told}\n`)
  return EXIT.done
})

const agreed = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape, file: string) {
  if (line.switches.has("yes")) return true
  const output = yield* Output
  const text = texts[config.locale]
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return yield* new Failure({ exit: EXIT.usage, detail: text.yes(file) })
  const terminal = NodeTerminal.layer({ input: process.stdin, output: process.stdout, color: output.color })
  const question = [text.ask(file, storeFile(config))]
  return yield* Effect.scoped(Effect.provide(askYes(question, text.keys), terminal))
})

const lines = (done: Restored, locale: Locale): ReadonlyArray<string> => {
  const text = texts[locale]
  return [
    text.restored(text.whole(done)),
    ...(done.kept === undefined ? [] : [text.kept(done.kept)]),
    ...(done.grants_ended === 0 ? [] : [text.ended(done.grants_ended)]),
    text.tokens
  ]
}

export const restoreCommand = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const { locale } = config
  const file = yield* fileOf(line, locale)
  if (!(yield* agreed(line, config, file))) {
    yield* output.err(`claw: ${texts[locale].left}\n`)
    return EXIT.cancelled
  }
  const stamp = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[:.]/g, "-")
  const done = yield* restore(file, storeFile(config), stamp)
  const told = line.switches.has("json") ? [JSON.stringify({ restored: file, ...done })] : lines(done, locale)
  yield* output.out(told.map((one) => `${one}\n`).join(""))
  return EXIT.done
})
