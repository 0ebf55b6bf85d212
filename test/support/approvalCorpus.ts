/**
 * Judges corpus entries with the real analysis and policy, each in a workspace of its own. Owns: how an entry's grants,
 * rules and files become the real ones. Strictness: allow < ask < deny.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Grant, RiskAssessment } from "../../src/domain/Approval.ts"
import type { CallId, GrantId } from "../../src/domain/Ids.ts"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import { canonicalText, digestOf } from "../../src/approval/matching.ts"
import { contentOf } from "../../src/approval/Cover.ts"
import { decide, type Judgement } from "../../src/approval/Policy.ts"
import type { Action, Rule } from "../../src/approval/Rules.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

export interface CorpusFile {
  readonly path?: string
  readonly text?: string
  readonly mode?: string
  readonly symlink?: string
  readonly git_config?: string
  readonly value?: string
  /** Written after the grants were given. */
  readonly changed_after_grant?: boolean
}

export interface BashEntry {
  readonly id: string
  readonly benign: boolean
  readonly command: string
  readonly expect: Action
  readonly why: string
  readonly repeat?: { readonly mark: string; readonly text: string; readonly times: number }
  readonly raw_arguments?: boolean
  readonly grants?: ReadonlyArray<{ readonly match: "exact" | "prefix"; readonly argv: ReadonlyArray<string> }>
  readonly deny?: ReadonlyArray<ReadonlyArray<string>>
  readonly files?: ReadonlyArray<CorpusFile>
  readonly path?: string
}

/** One of `test/approval/corpus`. Read, not imported: the compiler would work out the type of each of a thousand entries. */
export const readCorpus = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../approval/corpus/${name}.json`, import.meta.url), "utf8"))

export const bashCorpus = (...names: ReadonlyArray<string>): ReadonlyArray<BashEntry> =>
  names.flatMap((name) => readCorpus(name) as ReadonlyArray<BashEntry>)

export const HOME = "/home/someone"

const ORIGIN = '[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'

/** A repository with a few files, as the corpus assumes one. */
export const makeWorkspace = (): { readonly path: string; readonly remove: () => void } => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "claw-corpus-")))
  const path = join(root, "ws")
  for (const directory of ["docs", "src", "node_modules", ".git/hooks"])
    mkdirSync(join(path, directory), { recursive: true })
  writeFileSync(join(path, "README.md"), "hello\n")
  writeFileSync(join(path, "package.json"), '{"scripts":{"test":"true"}}\n')
  writeFileSync(join(path, ".git/config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${ORIGIN}`)
  writeFileSync(join(root, "outside.txt"), "outside\n")
  return { path, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export const writeFile = (workspace: string, file: CorpusFile): void => {
  if (file.git_config !== undefined) {
    const [section, key] = file.git_config.split(".")
    const config = `[core]\n\tbare = false\n[${section}]\n\t${key} = ${file.value}\n`
    return writeFileSync(join(workspace, ".git/config"), config)
  }
  const path = join(workspace, file.path ?? "")
  mkdirSync(dirname(path), { recursive: true })
  if (file.symlink !== undefined) return symlinkSync(file.symlink, path)
  writeFileSync(path, file.text ?? "")
  if (file.mode !== undefined) chmodSync(path, Number.parseInt(file.mode, 8))
}

export const assessBash = (command: string, workspace: string, path?: string): RiskAssessment => ({
  risk: "dangerous",
  reason: "runs a shell command",
  paths: [],
  opaque: true,
  command: analyse(command, { workspace, home: HOME, ...(path === undefined ? {} : { path }) })
})

export const makeGrant = (workspace: string, match: "exact" | "prefix", argv: ReadonlyArray<string>): Grant => {
  const text = canonicalText(argv)
  const content = contentOf(assessBash(text, workspace))
  const [first = "", ...rest] = argv
  return {
    grant_id: `grant_${text}` as GrantId,
    tool_name: "bash",
    matcher:
      match === "exact"
        ? { kind: "exact", digest: digestOf("bash", { command: text }) }
        : { kind: "command", argv: [first, ...rest] },
    workspace,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2126-01-01T00:00:00.000Z",
    ...(content === undefined ? {} : { content })
  }
}

export const denyRule = ([first = "", ...rest]: ReadonlyArray<string>): Rule => ({
  name: `no ${first}`,
  tool: "bash",
  matcher: { kind: "command", argv: [first, ...rest] },
  action: "deny"
})

export interface Judged {
  readonly command: string
  readonly workspace: string
  readonly rules?: ReadonlyArray<Rule>
  readonly grants?: ReadonlyArray<Grant>
  readonly mode?: Mode
  readonly path?: string
  readonly raw?: string
}

/** The real decision about one bash call. */
export const judgeBash = ({
  command,
  workspace,
  rules = [],
  grants = [],
  mode = "ask",
  path,
  raw
}: Judged): Judgement => {
  const args = raw ?? JSON.stringify({ command })
  return decide({
    call: { call_id: "call_1" as CallId, tool_name: "bash", arguments: args },
    digest: digestOf("bash", JSON.parse(args)),
    assessment: assessBash(command, workspace, path),
    mode,
    rules,
    grants,
    workspace
  })
}

export const commandOf = (entry: BashEntry): string => {
  const { repeat } = entry
  const full =
    repeat === undefined ? entry.command : entry.command.replace(repeat.mark, repeat.text.repeat(repeat.times))
  return entry.raw_arguments === true ? (JSON.parse(full) as { command: string }).command : full
}

const judgeIn = (workspace: string, entry: BashEntry): Judgement => {
  const early = entry.files?.filter((file) => file.changed_after_grant !== true) ?? []
  for (const file of early) writeFile(workspace, file)
  const grants = (entry.grants ?? []).map(({ match, argv }) => makeGrant(workspace, match, argv))
  for (const file of entry.files ?? []) if (file.changed_after_grant === true) writeFile(workspace, file)
  return judgeBash({
    command: commandOf(entry),
    workspace,
    grants,
    rules: (entry.deny ?? []).map(denyRule),
    ...(entry.raw_arguments === true ? { raw: entry.command } : {}),
    ...(entry.path === undefined ? {} : { path: entry.path.replace("{{workspace}}", workspace) })
  })
}

/** To judge changes nothing: entries without files of their own share it. */
let shared: ReturnType<typeof makeWorkspace> | undefined

const sharedWorkspace = (): string => {
  if (shared === undefined) {
    const made = (shared = makeWorkspace())
    process.once("exit", made.remove)
  }
  return shared.path
}

export const judgeEntry = (entry: BashEntry): Judgement => {
  if ((entry.files ?? []).length === 0) return judgeIn(sharedWorkspace(), entry)
  const workspace = makeWorkspace()
  try {
    return judgeIn(workspace.path, entry)
  } finally {
    workspace.remove()
  }
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/** An attack passes at the expected strictness or above, an ordinary command at it or below. */
export const passes = (entry: { readonly benign: boolean; readonly expect: Action }, action: Action): boolean =>
  entry.benign ? STRICTNESS[action] <= STRICTNESS[entry.expect] : STRICTNESS[action] >= STRICTNESS[entry.expect]
