/**
 * Corpus kind `config`: what a file or a sentence about claw's own configuration may bring about. Owns: the forms of such
 * a line. Each is carried out for real in a directory that exists for the length of the question: the configuration is
 * loaded, the store of grants is asked, the command line is read. Invariant: a form that is not known is refused.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Effect, Result } from "effect"
import * as Audit from "../approval/Audit.ts"
import { make as makeMemory } from "../approval/MemoryGrants.ts"
import { parse } from "../cli/CommandLine.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { type ConfigShape, load } from "../config/AppConfig.ts"
import { remember, standing } from "../config/WorkspaceTrust.ts"
import type { Grant } from "../domain/Approval.ts"
import type { CallId, GrantId, SessionId, TaskId } from "../domain/Ids.ts"
import { localOwner } from "../domain/Principal.ts"
import type { Checked } from "./policyCheck.ts"
import type { Line } from "./policyEntry.ts"

/** Judges a command with the line's own grants, and other rules than this process's. */
export type Inside = (command: string, rules?: ConfigShape["rules"]) => Effect.Effect<Checked, unknown>

const answer = (line: Line, verdict: Checked["verdict"], reason: string): Checked => ({
  id: line.id,
  verdict,
  reasons: [reason],
  shown: sanitise(line.input)
})

/** `put` writes into an empty workspace and home; what is loaded from there is the answer. */
const loaded = (
  line: Line,
  put: (workspace: string, home: string) => void
): Result.Result<ConfigShape, { message: string }> => {
  const root = mkdtempSync(join(tmpdir(), "claw-check-"))
  const [workspace, home] = [join(root, "ws"), join(root, "home")]
  try {
    for (const directory of [workspace, join(home, ".config/claw")]) mkdirSync(directory, { recursive: true })
    put(workspace, home)
    const trusted = line.context.trust === undefined || /workspace trusted/.test(line.context.trust)
    const shown = (text: string) => text.replaceAll(`${workspace}/`, "").replaceAll(`${home}/`, "~/")
    const state_dir = join(root, "state")
    if (trusted) remember(state_dir, standing({ state_dir, workspace }), "trusted", 0)
    const env = { HOME: home, CLAW_STATE_DIR: state_dir }
    const found = load({ workspace, env, operator: join(root, "operator.json") })
    return Result.mapBoth(found, {
      onFailure: ({ message }) => ({ message: shown(message) }),
      onSuccess: (config) => ({ ...config, warnings: config.warnings.map(shown) })
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const write = (root: string, path: string, text: string): void => {
  const file = resolve(root, path)
  if (!file.startsWith(`${root}/`)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const untrusted = ({ trust }: ConfigShape): string | undefined =>
  trust.status === "trusted" || trust.status === "empty"
    ? undefined
    : "this workspace is not trusted: nothing of it is in force"

/** A file of the repository counts only where it is loaded, and then only where it makes something stricter. */
const repositoryFile = (line: Line, path: string, text: string): Checked => {
  const found = loaded(line, (workspace) => write(workspace, path, text))
  if (Result.isFailure(found)) return answer(line, "deny", found.failure.message)
  const effective = Array.from(found.success.sources.values()).includes("workspace file")
  if (effective) return answer(line, "allow", "the file makes claw stricter, and holds")
  return answer(line, "deny", untrusted(found.success) ?? `nothing in ${path} takes effect`)
}

const repositoryLink = (line: Line, path: string, target: string): Checked => {
  const found = loaded(line, (workspace) => symlinkSync(target, resolve(workspace, path)))
  return Result.isFailure(found)
    ? answer(line, "deny", found.failure.message)
    : answer(line, "deny", `nothing behind ${path} takes effect`)
}

const userFile = (line: Line, text: string): Result.Result<ConfigShape, { message: string }> =>
  loaded(line, (_, home) => write(home, ".config/claw/config.json", text))

const userSettings = (line: Line, text: string): Checked => {
  const found = userFile(line, text)
  return Result.isFailure(found)
    ? answer(line, "deny", found.failure.message)
    : answer(line, "allow", "the user's own configuration holds")
}

const userRule = Effect.fnUntraced(function* (line: Line, words: string, action: string, inside: Inside) {
  const found = userFile(line, JSON.stringify({ rules: { [action]: [{ tool: "bash", argv: words.split(" ") }] } }))
  if (Result.isFailure(found)) return answer(line, "deny", found.failure.message)
  return yield* inside(words, found.success.rules)
})

const grant: Grant = {
  grant_id: "grant_checked" as GrantId,
  workspace_id: "1:1:1",
  tool_name: "bash",
  matcher: { kind: "command", argv: ["git", "status"] },
  workspace: "/",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "9999-12-31T00:00:00.000Z"
}

/** A grant that is another's, or was taken back, is none when the call begins. */
const lostGrant = Effect.fnUntraced(function* (line: Line, how: "other" | "revoked") {
  const [mine, theirs] = ["session-a", "session-b"] as ReadonlyArray<string> as readonly [SessionId, SessionId]
  const { store } = makeMemory()
  yield* store.save(mine, grant)
  if (how === "revoked") yield* store.revoke(mine, grant.grant_id)
  const left = yield* store.active(how === "revoked" ? mine : theirs, "bash")
  return answer(line, left.length === 0 ? "ask" : "allow", "no grant of this person is in force when the call begins")
})

const auditLine = (line: Line): Checked => {
  const event = {
    type: "approval_resolved",
    task_id: "task" as TaskId,
    turn: 1,
    call_id: "call" as CallId,
    decision: "deny",
    via: "user",
    reason: `x\n{"decision":"allow_once","who":"admin"}`
  } as const
  const about = { call_id: event.call_id, tool_name: "bash", arguments: JSON.stringify({ command: line.input }) }
  const place = { owner: localOwner, session_id: "session-a" as SessionId }
  const decided = Audit.decision(place, { seq: 1, ts: "2026-01-01T00:00:00.000Z" }, event, about)
  const shown = Audit.chain(Audit.begin(new Uint8Array(16)), decided).text
  const one = !shown.includes("\n")
  return {
    ...answer(line, one ? "ask" : "allow", "the audit is one JSON object a line"),
    shown,
    ...(one ? { sanitised: true } : {})
  }
}

/** Text behind a prompt is never an option. */
const asPrompt = (line: Line, word: string): Checked => {
  const read = parse(["run", "--", word])
  const isText = Result.isSuccess(read) && Object.keys(read.success.values).length === 0
  return answer(line, isText || Result.isFailure(read) ? "deny" : "allow", `${word} is text, and sets nothing`)
}

type Form = readonly [RegExp, (found: RegExpExecArray, line: Line, inside: Inside) => Effect.Effect<Checked, unknown>]

const pure =
  (make: (found: RegExpExecArray, line: Line) => Checked): Form[1] =>
  (found, line) =>
    Effect.sync(() => make(found, line))

const forms: ReadonlyArray<Form> = [
  [/^repo file (\S+) is a symlink to (.+)$/s, pure(([, path = "", to = ""], line) => repositoryLink(line, path, to))],
  [/^repo file (\S+)(?::| with) (.+)$/s, pure(([, path = "", text = ""], line) => repositoryFile(line, path, text))],
  [
    /^user-level settings: prefix rule (.+) (allow|ask|deny)$/,
    ([, words = "", action = ""], line, inside) => userRule(line, words, action, inside)
  ],
  [/^(?:user-level )?settings: (.+)$/s, pure(([, text = ""], line) => userSettings(line, text))],
  [
    /^policy rule pattern (\S+)/,
    pure(([, pattern = ""], line) =>
      userSettings(line, JSON.stringify({ rules: { allow: [{ tool: "bash", pattern }] } }))
    )
  ],
  [/^network rule list present but empty$/, pure((_, line) => userSettings(line, '{"network":[]}'))],
  [/^grant of user \S+, request of user \S+/, (_, line) => lostGrant(line, "other")],
  [/^grant revoked while/, (_, line) => lostGrant(line, "revoked")],
  [/prompt text is (--\S+)$/, pure(([, word = ""], line) => asPrompt(line, word))],
  [/newline and fake log fields$/, pure((_, line) => auditLine(line))],
  [/^\S+\.md: run (.+?)(?: before .*)?$/s, ([, command = ""], _, inside) => inside(command)]
]

export const checkConfig = (line: Line, inside: Inside): Effect.Effect<Checked, unknown> => {
  for (const [form, judge] of forms) {
    const found = form.exec(line.input)
    if (found !== null) return judge(found, line, inside)
  }
  return Effect.succeed(answer(line, "deny", "no configuration says this"))
}
