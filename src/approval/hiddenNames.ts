/**
 * What a rule denies and a line may still do under words that nobody can read off it (SECURITY P1, P4, T2), for the mode
 * that allows whatever is not denied. Owns: a denied command whose subcommand is not known, its program under another name, its text
 * on the way into a script; files named by what is fed in or by a script of sed's. Pure. Invariant: it makes a call
 * stricter, and never decides that one may run.
 */
import { resolve } from "node:path"
import type { SimpleCommand } from "../domain/Approval.ts"
import { commandsOf, type Subject } from "./Cover.ts"
import { pathTouched } from "./matching.ts"
import type { Rule } from "./Rules.ts"

const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** Their last words are words of another command, which come in from elsewhere. */
const GIVEN = new Set(["xargs", "gxargs", "parallel"])
/** What only the shell fills in, or a launcher. */
const OPEN = /[$`*?[\]{}]|^-/

/** The words of the rule, as far as this command's are known, are its own. */
const mayBe = ([, ...wanted]: ReadonlyArray<string>, { argv }: SimpleCommand, given: boolean): boolean =>
  wanted
    .filter((word) => !word.startsWith("-"))
    .every((word, at) => {
      const own = argv[at + 1]
      return own === undefined ? given : own === word || OPEN.test(own)
    })

const isOpen = ({ argv }: SimpleCommand): boolean => argv.slice(1).some((word) => /[$`]|\{\}/.test(word))

/** `cp /usr/bin/git g; ./g push` */
const movesProgram = (program: string, { argv }: SimpleCommand): boolean =>
  argv.length > 2 && argv.slice(1).some((word) => word.includes("/") && nameOf(word) === program)

const says = (argv: ReadonlyArray<string>, text: string): boolean => {
  const words = text.split(/[\s;&|'"()]+/)
  return words.some(
    (word, at) => nameOf(word) === argv[0] && argv.every((one, more) => more === 0 || words[at + more] === one)
  )
}

/** Why this line may run what the rule denies; undefined: nothing of it says so. */
export const hidesCommand = (argv: ReadonlyArray<string>, subject: Subject): string | undefined => {
  const [program = "", ...rest] = argv
  const commands = commandsOf(subject.assessment)
  const given = commands.some((one) => GIVEN.has(nameOf(one.argv[0] ?? "")))
  const plan = subject.assessment.command
  for (const command of commands) {
    const own = command.names.includes(program) || nameOf(command.argv[0] ?? "") === program
    if (own && rest.length > 0 && (given || isOpen(command)) && mayBe(argv, command, given)) return command.text
    if (!own && movesProgram(program, command)) return command.text
    // Into a file, or on to whatever reads it.
    if ((plan?.writes.length ?? 0) > 0 && command.argv.slice(1).some((word) => says(argv, word))) return command.text
  }
  return undefined
}

const LISTS = /^(?:-a.*|--arg-file(?:=.*)?|::::\+?)$/s
const SED = /[rRwW][ \t]*([^\n;}]{1,400})/g

/** Files that a word of sed's own language names, of those under this glob. */
const readsBySed = (glob: string, { argv }: SimpleCommand, workspace: string): boolean =>
  /^g?sed$/.test(nameOf(argv[0] ?? "")) &&
  argv
    .slice(1)
    .flatMap((word) => Array.from(word.matchAll(SED), ([, name = ""]) => name.trim()))
    .some((name) => name !== "" && pathTouched(glob, [resolve(workspace, name)], workspace))

/** Why this line may reach a path under the rule's glob. */
export const hidesPath = (glob: string, subject: Subject): string | undefined => {
  const fed = (subject.assessment.command?.reads.length ?? 0) > 0
  return commandsOf(subject.assessment).find((command) => {
    const name = nameOf(command.argv[0] ?? "")
    if (GIVEN.has(name) && (fed || command.argv.some((word) => LISTS.test(word)))) return true
    if (name === "cpio" && fed) return true
    return readsBySed(glob, command, subject.workspace)
  })?.text
}

const DELETES =
  /\b(?:unlink\w*|rmtree|rmdir\w*|removedirs|rmSync|rm_rf|remove_tree|FileUtils|truncate\w*|shred|DELETE\s+FROM|DROP\s+(?:TABLE|DATABASE|SCHEMA|INDEX|VIEW))\b|\b(?:os|fs|File|Path|shutil|Deno|pathlib|filesystem)\b[^\n]{0,80}\.(?:remove|delete|rm|replace|rename)\b|\b(?:rm|del)\s+-|["'`]rm["'`]/i

/** Code that takes something away, as far as such code is written in the usual words. */
export const deletesInCode = (text: string): boolean => DELETES.test(text)

/** Nobody knows which file such a redirect would empty. */
const OPEN_TARGET = /[$`*?[]/

/** What a rule on effects would have denied under another name, or in code. */
export const denied = (rule: Rule, subject: Subject): string | undefined => {
  const { matcher } = rule
  if (matcher.kind === "command") return hidesCommand(matcher.argv, subject)
  if (matcher.kind === "path") return hidesPath(matcher.glob, subject)
  if (matcher.kind !== "effect" || matcher.effect !== "deletes") return undefined
  const target = subject.assessment.command?.writes.find((one) => OPEN_TARGET.test(one))
  if (target !== undefined) return `> ${target}`
  return commandsOf(subject.assessment).find((command) =>
    ["rm", "unlink", "shred"].some((one) => movesProgram(one, command))
  )?.text
}
