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

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

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

/** The words of the rule stand one behind the other in a text of code that a file holds. */
const saysInFile = ([program = "", ...rest]: ReadonlyArray<string>, text: string): boolean => {
  const words = [program, ...rest.filter((word) => !word.startsWith("-"))].map(escaped)
  return new RegExp(`(?:^|["'\`;&|(\\s])${words.join("[\\s\"'`,()\\[\\]]+")}(?=[\\s"'\`])`, "m").test(text)
}

/** One word alone may be anything's name; in quotes, or with an option behind it, it is a program. */
const saysProgram = (program: string, text: string): boolean =>
  new RegExp(`["'\`](?:[^"'\`\\n]{0,200}[;&|(\\s/])?${escaped(program)}["'\`\\s]`).test(text)

const inFile = ({ matcher }: Rule, text: string, workspace: string): boolean => {
  if (matcher.kind === "command")
    return matcher.argv.length > 1 ? saysInFile(matcher.argv, text) : saysProgram(matcher.argv[0], text)
  if (matcher.kind === "effect") return matcher.effect === "deletes" && deletesInCode(text)
  return (
    matcher.kind === "path" &&
    tokensOf(text).some((token) => pathTouched(matcher.glob, [resolve(workspace, token)], workspace))
  )
}

const MAX_TOKENS = 4_000
/** A name alone is more often a word than a path. */
const tokensOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\s'"`()[\]{},;<>|&=]+/)
    .filter((token) => token.includes("/") && !token.includes("//"))
    .slice(0, MAX_TOKENS)

/** A file of code that the line runs says what the rule denies; whether it does so nobody knows. */
export const namedInFile = (rule: Rule, subject: Subject): string | undefined =>
  commandsOf(subject.assessment).find(({ within }) =>
    within?.texts.some((text) => inFile(rule, text, subject.workspace))
  )?.text

/** What no alias can be called. */
const OF_GIT = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack
  filter-branch for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook http-push index-pack init
  init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file
  merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune
  pull push range-diff read-tree rebase receive-pack reflog refs remote repack replace request-pull rerere reset restore
  rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage
  stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref
  update-server-info upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree lfs
  subtree svn p4 flow instaweb citool daemon request-pull quiltimport archimport cvsserver`.split(/\s+/)
)
const isGitCommand = (word: string): boolean => OF_GIT.has(word)

/** Git's command is none of its own: an alias, which may stand for any. */
const mayBeAlias = ({ argv }: SimpleCommand): boolean => {
  const command = argv.slice(1).find((word) => !word.startsWith("-"))
  return command !== undefined && !isGitCommand(command)
}

/** Why this line may run what the rule denies; undefined: nothing of it says so. */
export const hidesCommand = (argv: ReadonlyArray<string>, subject: Subject): string | undefined => {
  const [program = "", ...rest] = argv
  const commands = commandsOf(subject.assessment)
  const given = commands.some((one) => GIVEN.has(nameOf(one.argv[0] ?? "")))
  const plan = subject.assessment.command
  for (const command of commands) {
    const own = command.names.includes(program) || nameOf(command.argv[0] ?? "") === program
    if (own && program === "git" && rest.length > 0 && mayBeAlias(command)) return command.text
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

/** Their words are text for people, or patterns, or name what git itself looks up. */
const TEXTS = new Set("echo printf git gh grep egrep fgrep rg ag ack true false :".split(" "))
const SEPARATES = /[\s'"`()[\]{},;<>|&=@:]+/

/** A part of a word: `load("secret/x")` of yq, `-F f=@secret/x;type=a`. */
const namesInWord = (glob: string, { argv }: SimpleCommand, workspace: string): boolean =>
  !TEXTS.has(nameOf(argv[0] ?? "")) &&
  argv
    .slice(1)
    .flatMap((word) => word.split(SEPARATES).slice(0, MAX_PARTS))
    .some((part) => part !== "" && pathTouched(glob, [resolve(workspace, part)], workspace))
const MAX_PARTS = 400

/** What they read or write stands in a file, in what comes in, or is put together by an expression. */
const OPENS: Readonly<Record<string, RegExp>> = {
  yq: /\bload(?:_\w+)?\s*\(/,
  jq: /\b(?:import|include)\b/,
  git: /^(?:apply|am)$/,
  patch: /^/,
  sftp: /^/,
  lftp: /^/,
  ftp: /^/
}
const opensUnnamed = ({ argv }: SimpleCommand): boolean => {
  const name = nameOf(argv[0] ?? "")
  return Object.hasOwn(OPENS, name) && argv.slice(1).some((word) => OPENS[name]!.test(word))
}

/** Why this line may reach a path under the rule's glob. */
export const hidesPath = (glob: string, subject: Subject): string | undefined => {
  const fed = (subject.assessment.command?.reads.length ?? 0) > 0
  const perhaps = subject.assessment.perhaps ?? []
  if (pathTouched(glob, perhaps, subject.workspace)) return subject.assessment.command?.source ?? ""
  return commandsOf(subject.assessment).find((command) => {
    const name = nameOf(command.argv[0] ?? "")
    if (GIVEN.has(name) && (fed || command.argv.some((word) => LISTS.test(word)))) return true
    if (name === "cpio" && fed) return true
    if (opensUnnamed(command) || namesInWord(glob, command, subject.workspace)) return true
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
