/**
 * Texts that a shell reads as its input: here-documents, here-strings, and what the commands before it in a pipe print
 * (SECURITY P4). Owns: which texts those are. They are for deny rules: a shell that is fed is never plain, so that a text
 * that is no script only makes the judgement stricter. Pure. Invariant: a text that stands in the line is not left out.
 */
import { type Command, forEachChild, type Redirection, type SyntaxNode } from "unbash"
import type { SimpleCommand } from "../domain/Approval.ts"
import type { Fed } from "./commandRuns.ts"
import { literalWord, shellWords, type ShellWord } from "./commandWords.ts"
import { isInterpreter, plainName, SHELLS } from "./commandTables.ts"

/** They run what they read, or start a shell that does where no command is named. */
const READERS: ReadonlySet<string> = new Set(
  `. source eval at batch xargs parallel ssh crontab su chroot unshare nsenter script bwrap firejail proot machinectl
  systemd-run socat screen tmux`.split(/\s+/)
)

/** A program that runs what it reads, or one of which nobody knows what it is. */
export const isFed = ({ argv, names, notPlain }: SimpleCommand): boolean =>
  [argv[0]?.split("/").at(-1) ?? "", ...names].some((name) => READERS.has(name) || SHELLS.has(plainName(name))) ||
  notPlain.includes("the program's name is not literal")

/** A program that evaluates what it reads, in a language of its own. */
export const isGivenCode = ({ names }: SimpleCommand): boolean => names.some(isInterpreter)

export const redirectTexts = (redirects: ReadonlyArray<Redirection>): ReadonlyArray<string> =>
  redirects.flatMap((one) => {
    if (one.type === "HereDoc") return [one.body.text]
    return one.type === "HereString" && one.target !== undefined ? [one.target.value] : []
  })

const MAX_HANDED = 256

const PRINTS: ReadonlySet<string> = new Set(["echo", "printf"])

/** What `echo` and `printf` would print, each of their words apart too. */
const printed = (node: Command): ReadonlyArray<string> => {
  if (!PRINTS.has(node.name?.value ?? "")) return []
  const words = node.args.map((arg) => ("value" in arg && typeof arg.value === "string" ? arg.value : arg.text))
  const plain = words
    .filter((word) => !/^-[neE]+$/.test(word))
    .map((word) => word.replace(/\\n/g, "\n").replace(/\\t/g, "\t"))
  return [plain.join(" "), ...(node.name?.value === "printf" ? plain.map((word) => word.replace(/%[sb]/g, " ")) : [])]
}

/** What comes out of it stands in the line. */
export const isPrinted = (node: SyntaxNode): boolean => printedTexts(node).length > 0

/** A shell without a script of its own reads one from its input. */
export const readsScript = ({ argv, names }: SimpleCommand): boolean =>
  names.some((name) => SHELLS.has(plainName(name))) &&
  argv.slice(1).every((word) => /^[-+]/.test(word) && !/^-[A-Za-z]*c|^--(?:version|help)$/.test(word))

/** `bash --rcfile a`: read as a script before anything else. */
export const startFiles = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv.flatMap((word, at) => {
    const [, attached] = /^--(?:rcfile|init-file)(?:=(.*))?$/s.exec(word) ?? []
    const next = /^--(?:rcfile|init-file)$/.test(word) ? argv[at + 1] : attached
    return next === undefined ? [] : [next]
  })

/** Every text below this node that could come out of it. */
export const printedTexts = (node: SyntaxNode): ReadonlyArray<string> => {
  const own =
    node.type === "Command"
      ? [...printed(node), ...redirectTexts(node.redirects)]
      : node.type === "Redirected"
        ? redirectTexts(node.redirects)
        : []
  const found = [...own]
  forEachChild(node, (child) => {
    found.push(...printedTexts(child))
  })
  return found
}

/** `* * * * * rm x`, `@reboot rm x` */
const TIMED = /^[ \t]*(?:@\w+|(?:[\d*,/-]+[ \t]+){4}[\w*,/-]+)[ \t]+(.+)$/gm

/** The texts as they are run; those of a crontab without their times too. */
export const asRun = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...texts,
  ...texts.flatMap((text) => Array.from(text.matchAll(TIMED), ([, line = ""]) => line))
]

/** Texts that reach a command or a group directly: its redirects, and what its `<(…)` print. */
export const ownTexts = (node: SyntaxNode): ReadonlyArray<string> => {
  if (node.type !== "Command" && node.type !== "Redirected") return []
  const found = [...redirectTexts(node.redirects)]
  if (node.type === "Command")
    forEachChild(node, (child) => {
      found.push(...printedTexts(child))
    })
  return found
}

/** `xargs cat <<< a`: the words that a program which takes some from its input then has. */
export const handedIn = (
  words: ReadonlyArray<ShellWord>,
  redirects: ReadonlyArray<Redirection>
): ReadonlyArray<ReadonlyArray<ShellWord>> => {
  const name = words[0]?.value.split("/").at(-1) ?? ""
  if (name !== "xargs" && name !== "parallel" && name !== "gxargs") return []
  return redirectTexts(redirects).map((text) => [
    ...words,
    ...text
      .split(/\s+/)
      .filter((word) => word !== "")
      .slice(0, MAX_HANDED)
      .map(literalWord)
  ])
}

/** No input at all. */
const EMPTY = "/dev/null"

/** What its words alone do not say: which of them are patterns, and whether it reads what the line gives it. */
export const asGiven = (
  words: ReadonlyArray<ShellWord>,
  fed: Fed | undefined
): Pick<SimpleCommand, "patterns" | "fed"> => {
  const patterns = words.flatMap(({ glob }, at) => (glob ? [at] : []))
  const isGiven = fed !== undefined && (fed.texts.length > 0 || fed.files.some((file) => file !== EMPTY))
  return { ...(patterns.length === 0 ? {} : { patterns }), ...(isGiven ? { fed: true as const } : {}) }
}

/** The commands of a pipe's later stage, from `from` on, read what the stage before it prints. */
export const feedFrom = (commands: Array<SimpleCommand>, from: number): void => {
  for (let at = from; at < commands.length; at += 1) commands[at] = { ...commands[at]!, fed: true }
}

/** What comes in by its redirects; undefined: nothing does. */
export const fedBy = (redirects: ReadonlyArray<Redirection>, home: string): Fed | undefined => {
  const files = redirects.flatMap((one) =>
    one.type === "Redirect" && one.operator === "<" && one.target !== undefined
      ? shellWords(one.target, home).map(({ value }) => value)
      : []
  )
  const texts = redirectTexts(redirects)
  return files.length + texts.length === 0 ? undefined : { files, texts }
}
