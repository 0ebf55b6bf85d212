/**
 * From the words after `claw` to a command. Pure; owns the complaints. Invariant: a word after `--` is never an option
 * (C019), and what is not understood is an error with the nearest name, never a guess.
 */
import { parseArgs } from "node:util"
import { Result, Schema } from "effect"
import { nearest } from "../domain/Nearest.ts"
import { commands, type CommandSpec, flags, type FlagSpec, type Locale } from "./Commands.ts"
import { type UsageTexts, usageTexts } from "./usageTexts.ts"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface CommandLine {
  readonly command: CommandSpec
  readonly operands: ReadonlyArray<string>
  readonly values: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
}

const usage = (detail: string): Result.Result<never, UsageError> => Result.fail(new UsageError({ detail }))

const suggestion = (text: UsageTexts, name: string, known: ReadonlyArray<string>): string => {
  const found = nearest(name, known)
  return found === undefined ? "" : text.mean(found)
}

const options = Object.fromEntries(
  flags.map(({ name, short, value }) => [
    name,
    {
      type: value === undefined ? ("boolean" as const) : ("string" as const),
      ...(short === undefined ? {} : { short })
    }
  ])
)

type Token = NonNullable<ReturnType<typeof tokensOf>["tokens"]>[number]

const tokensOf = (args: ReadonlyArray<string>) =>
  parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })

const findCommand = (text: UsageTexts, words: ReadonlyArray<string>): Result.Result<CommandSpec, UsageError> => {
  const name = words[0] ?? ""
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return Result.succeed(found)
  const names = commands.map((command) => command.name).filter((known) => known !== "")
  const near = suggestion(text, name, names)
  const hint = near === "" ? text.asPrompt(words.join(" ").slice(0, 60)) : near
  return usage(text.noCommand(name.slice(0, 60), hint))
}

const isCommand = (word: string): boolean => commands.some(({ name }) => name === word)

/** Something was given, no option, and it is no number above 0. */
const isBad = (value: string | undefined): boolean =>
  value !== undefined && !/^-[^\d.]/.test(value) && value !== "-" && !(/\d/.test(value) && Number(value) > 0)

const checkFlag = (
  text: UsageTexts,
  token: Extract<Token, { kind: "option" }>,
  command: CommandSpec
): Result.Result<FlagSpec, UsageError> => {
  const flag = flags.find((known) => known.name === token.name)
  const allowed = [...command.flags, "help", "version"]
  if (flag === undefined || !allowed.includes(flag.name)) {
    const known = allowed.map((name) => `--${name}`)
    const whose = command.name === "" ? "claw" : `claw ${command.name}`
    return usage(text.noOption(whose, token.rawName, suggestion(text, token.rawName, known)))
  }
  if (flag.value === undefined) {
    return token.value === undefined ? Result.succeed(flag) : usage(text.noValue(flag.name))
  }
  if (flag.positive === true && isBad(token.value)) {
    return usage(text.positive(flag.name, token.value?.slice(0, 40) ?? ""))
  }
  if (token.value === undefined || (!token.inlineValue && token.value.startsWith("-") && token.value !== "-")) {
    return usage(text.needsValue(flag.name, flag.value))
  }
  if (flag.choices !== undefined && !flag.choices.includes(token.value)) {
    return usage(text.oneOf(flag.name, flag.choices.join(", "), suggestion(text, token.value, flag.choices)))
  }
  return Result.succeed(flag)
}

const known = (token: Extract<Token, { kind: "option" }>): boolean => flags.some(({ name }) => name === token.name)

/** `help`, `version` and `resume` are other spellings of flags; whoever reads a command line sees the flags alone. */
const canonical = (text: UsageTexts, line: CommandLine): Result.Result<CommandLine, UsageError> => {
  const [operand] = line.operands
  const spelled = (change: Partial<CommandLine>): Result.Result<CommandLine, UsageError> =>
    Result.map(findCommand(text, [""]), (command) => ({ ...line, command, operands: [], ...change }))
  switch (line.command.name) {
    case "version":
      return spelled({ switches: new Set(["version"]) })
    case "help":
      return Result.flatMap(findCommand(text, [operand ?? ""]), (command) =>
        spelled({ command, switches: new Set(["help"]) })
      )
    case "resume":
      return line.switches.has("help")
        ? Result.succeed(line)
        : operand === undefined
          ? spelled({ switches: new Set([...line.switches, "continue"]) })
          : spelled({ values: { ...line.values, resume: operand } })
    default:
      return Result.succeed(line)
  }
}

/** Reads the words after `claw`; complaints are in the language of `locale`. */
export const parse = (args: ReadonlyArray<string>, locale: Locale = "en"): Result.Result<CommandLine, UsageError> =>
  Result.gen(function* () {
    const text = usageTexts[locale]
    const { tokens } = tokensOf(args)
    const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []))
    const strange = tokens.find((token) => token.kind === "option" && !known(token))
    const command = yield* findCommand(text, strange === undefined ? words : words.slice(0, 1).filter(isCommand))
    const values: Record<string, string> = {}
    const switches = new Set<string>()
    for (const token of tokens) {
      if (token.kind !== "option") continue
      const flag = yield* checkFlag(text, token, command)
      if (flag.value === undefined) switches.add(flag.name)
      else values[flag.name] = token.value ?? ""
    }
    const operands = command.name === "" ? words : words.slice(1)
    if (operands.length > command.maxOperands) {
      return yield* usage(text.tooMany(command.name, operands.at(-1) ?? ""))
    }
    return yield* canonical(text, { command, operands, values, switches })
  })
