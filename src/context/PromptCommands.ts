/**
 * Prompts that have a name (`commands/*.md`): `/name words` at the prompt. Pure. Owns: what makes one, which of two
 * counts, and how words get into it. Does not own: the commands that claw brings, which no file takes the name of.
 */
import { Result } from "effect"
import { frontMatter, type ReadYaml } from "./FrontMatter.ts"

export interface CommandSource {
  /** Of its file below the directory, without its end; `:` for each folder. */
  readonly name: string
  readonly path: string
  readonly of: "user" | "project"
  readonly text: string
}

export interface PromptCommand extends Omit<CommandSource, "text"> {
  readonly description: string
  /** What may follow, for the help line. */
  readonly argument: string
  readonly body: string
}

export interface PromptCommands {
  readonly commands: ReadonlyArray<PromptCommand>
  readonly bad: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

const NAME = /^[a-z0-9][a-z0-9_:-]{0,47}$/
const MAX_COMMANDS = 200
const PLACE = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g

const oneLine = (text: string, most: number): string =>
  Array.from(text.replaceAll(/\s+/g, " ").trim().toWellFormed()).slice(0, most).join("")

/** The first line that says something. */
const firstLine = (body: string): string => body.split("\n").find((line) => /\p{L}/u.test(line)) ?? ""

const commandOf = (source: CommandSource, readYaml: ReadYaml): Result.Result<PromptCommand, string> =>
  Result.gen(function* () {
    const { name, of, path, text } = source
    if (!NAME.test(name)) return yield* Result.fail("its name is not up to 48 small letters, digits, - and _")
    const { body, fields } = yield* frontMatter(text, readYaml)
    if (body.trim() === "") return yield* Result.fail("it is empty")
    const description = oneLine(fields["description"] ?? firstLine(body), 100)
    const argument = oneLine(fields["argument-hint"] ?? "", 30)
    return { name, of, path, description, argument, body: body.trim().toWellFormed() }
  })

/** `taken`: names that claw has commands for. In the order of `sources`: the first of a name counts. */
export const readCommands = (
  sources: ReadonlyArray<CommandSource>,
  taken: ReadonlySet<string>,
  readYaml: ReadYaml
): PromptCommands => {
  const commands = new Map<string, PromptCommand>()
  const bad: Array<{ readonly path: string; readonly why: string }> = []
  for (const source of sources) {
    const { name, path } = source
    const first = commands.get(name)
    const read = commandOf(source, readYaml)
    if (taken.has(name)) bad.push({ path, why: "claw has a command of this name" })
    else if (Result.isFailure(read)) bad.push({ path, why: read.failure })
    else if (first !== undefined) bad.push({ path, why: `${first.path} has the same name, and goes before it` })
    else if (commands.size >= MAX_COMMANDS) bad.push({ path, why: "there are too many commands before it" })
    else commands.set(name, read.success)
  }
  return { commands: [...commands.values()], bad }
}

/** Quotes keep words together. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? ""
  )

/** The prompt with these words in it. What was put in is not looked at again; words without a place come at the end. */
export const expand = ({ body }: Pick<PromptCommand, "body">, argument: string): string => {
  const words = wordsOf(argument)
  let placed = false
  const filled = body.replaceAll(PLACE, (_, nth: string | undefined) => {
    placed = true
    return nth === undefined ? argument : (words[Number(nth) - 1] ?? "")
  })
  return placed || argument === "" ? filled : `${filled}\n\n${argument}`
}
