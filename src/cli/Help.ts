/** `claw --help` from the table of commands. Light: the build puts its text into the boot file. */
import { commands, type CommandSpec, exitTexts, flags, type FlagSpec, type Locale } from "./Commands.ts"

const label = (flag: FlagSpec): string => {
  const short = flag.short === undefined ? "" : `-${flag.short}, `
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`
}

const usage = (command: CommandSpec): string =>
  ["claw", command.name, command.operands].filter((part) => part !== "").join(" ")

/** What is wider stands on a line of its own. */
const LEFT = 30
const WIDE = 100

const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1)!
    if (last !== "" && last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return lines
}

const columns = (rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const width = Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= LEFT))
  const indent = " ".repeat(width + 4)
  return rows.flatMap(([left, right]) => {
    const [first = "", ...more] = wrapped(right, WIDE - indent.length)
    const head = left.length > width ? [`  ${left}`, `${indent}${first}`] : [`  ${left.padEnd(width)}  ${first}`]
    return [...head, ...more.map((line) => `${indent}${line}`)]
  })
}

const flagRow = (flag: FlagSpec, locale: Locale): readonly [string, string] => {
  const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`
  return [label(flag), flag.text[locale] + choices]
}

const titles = {
  en: { usage: "Usage", options: "Options", exit: "Exit codes of claw run", keys: "Keys" },
  "zh-CN": { usage: "用法", options: "选项", exit: "claw run 的退出码", keys: "密钥" }
} as const

const keys = {
  en: "Set OPENAI_API_KEY or ZHIPU_API_KEY, or OPENAI_BASE_URL for your own server; `claw --provider demo` needs none.",
  "zh-CN":
    "设置 OPENAI_API_KEY 或 ZHIPU_API_KEY，或用 OPENAI_BASE_URL 指向自己的服务；`claw --provider demo` 无需密钥。"
} as const

/** The whole help. */
export const helpText = (locale: Locale): string => {
  const title = titles[locale]
  return [
    `${title.usage}:`,
    ...columns(commands.map((command) => [usage(command), command.text[locale]])),
    "",
    `${title.options}:`,
    ...columns(flags.map((flag) => flagRow(flag, locale))),
    "",
    `${title.keys}: ${keys[locale]}`,
    `${title.exit}: ${exitTexts.map(([code, text]) => `${code} ${text[locale]}`).join(", ")}`,
    ""
  ].join("\n")
}

/** The help of one command. */
export const commandHelp = (command: CommandSpec, locale: Locale): string => {
  const own = flags.filter((flag) => command.flags.includes(flag.name))
  return [
    `${titles[locale].usage}: ${usage(command)}`,
    "",
    command.text[locale],
    "",
    ...(command.examples ?? []).flatMap(([line, what]) => [`  ${line}`, `      ${what[locale]}`]),
    ...(command.examples === undefined ? [] : [""]),
    `${titles[locale].options}:`,
    ...columns(own.map((flag) => flagRow(flag, locale))),
    ""
  ].join("\n")
}
