/**
 * The nouns of approval. Owns: risk, decisions, grants, the permit. Decides nothing.
 * Only `allow_once` and `allow_session` allow; everything else, unknown values included, denies (DESIGN §6).
 */
import { Schema } from "effect"
import { Explanation } from "./Explanation.ts"
import { CallId, GrantId, RequestId } from "./Ids.ts"
import { Matcher } from "./Matcher.ts"

/** `safe` reads inside the workspace, `mutating` changes something there, `dangerous` may reach further. */
export const Risk = Schema.Literals(["safe", "mutating", "dangerous"])
export type Risk = typeof Risk.Type

export const Decision = Schema.Literals(["allow_once", "allow_session", "deny"])
export type Decision = typeof Decision.Type

/** What a client may answer. The last three belong to requests of kind `recovery` (SETTLED 14). */
export const Answer = Schema.Literals(["allow_once", "allow_session", "deny", "retry", "skip", "stop"])
export type Answer = typeof Answer.Type

export const Via = Schema.Literals(["policy", "grant", "user", "timeout", "cancel", "recovery"])
export type Via = typeof Via.Type

/** One thing that `allow_session` may cover; the client picks by `id`. The first is the default and is exact. */
export const GrantOption = Schema.Struct({ id: Schema.String, label: Schema.String, matcher: Matcher })
export type GrantOption = typeof GrantOption.Type

/** What is shown before a change: a unified diff, or a command taken apart. */
export const Preview = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("diff"), path: Schema.String, diff: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("command"), command: Schema.String, parts: Schema.Array(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal("text"), text: Schema.String })
])
export type Preview = typeof Preview.Type

export const ApprovalRequest = Schema.Struct({
  request_id: RequestId,
  kind: Schema.Literals(["tool", "recovery"]),
  call_id: CallId,
  tool_name: Schema.String,
  /** The call's arguments, JSON text: what will run. */
  content: Schema.String,
  risk: Risk,
  reason: Schema.String,
  preview: Schema.optionalKey(Preview),
  grant_options: Schema.Array(GrantOption),
  /** Digest of the files that said what runs when it was asked; other ones ask again (SECURITY P12). */
  content_digest: Schema.optionalKey(Schema.String),
  /** For the audit, should the question end without an answer: the command, or the path, masked and cut short. */
  shown: Schema.optionalKey(Schema.String),
  /** Title of the subagent that asks; absent: the task itself does. */
  subagent: Schema.optionalKey(Schema.String),
  /** Why it asks, part by part; bounded. */
  explanation: Schema.optionalKey(Explanation),
  /** RFC 3339; absent: no expiry. */
  expires_at: Schema.optionalKey(Schema.String)
})
export type ApprovalRequest = typeof ApprovalRequest.Type

export const Grant = Schema.Struct({
  grant_id: GrantId,
  tool_name: Schema.String,
  matcher: Matcher,
  workspace: Schema.String,
  created_at: Schema.String,
  expires_at: Schema.String,
  request_id: Schema.optionalKey(RequestId),
  by: Schema.optionalKey(Schema.String),
  /** Digest of the files that said what runs when it was granted; another one voids the grant (SECURITY P12). */
  content: Schema.optionalKey(Schema.String),
  /** Which directory the workspace's path led to; another one behind the same path voids the grant (SECURITY T3). */
  workspace_id: Schema.optionalKey(Schema.String),
  /** What the person saw, cut short: for people, decides nothing. */
  shown: Schema.optionalKey(Schema.String)
})
export type Grant = typeof Grant.Type

/** What a tool says of one call before anything runs. Units: none; `paths` absolute and resolved. */
export interface RiskAssessment {
  readonly risk: Risk
  /** One sentence for a person. */
  readonly reason: string
  /** Files the call will touch, so that calls on one path keep their order. */
  readonly paths: ReadonlyArray<string>
  /** Absolute paths that rules know, below directories of which nobody can say whether the call leaves them alone. */
  readonly perhaps?: ReadonlyArray<string>
  /** True where the call may change things it cannot name (bash). */
  readonly opaque: boolean
  readonly command?: CommandPlan
  /** Refused whatever anybody says (control plane, outside the workspace); the sentence why. */
  readonly forbidden?: string
  /** A file that makes other programs run code: ask every time, no grant covers it (SECURITY P11). */
  readonly alwaysAsk?: boolean
  /** Who wants it asked about every time, where that is not the file. */
  readonly askedBy?: string
  /** It makes a new file with a plan and changes nothing else: what mode `plan` is for. */
  readonly newPlan?: true
}

/**
 * One simple command found in a shell line, at whatever depth. `argv` has its quotes removed; a word that is not
 * literal stands there as it was written, so that a deny rule still sees it.
 */
export interface SimpleCommand {
  readonly argv: ReadonlyArray<string>
  readonly text: string
  /** Positions in `argv` of patterns that the shell still has to match: such a word is not the name that it spells. */
  readonly patterns?: ReadonlyArray<number>
  /** Something comes in by a pipe or a redirect: its words are not all that says what it does. */
  readonly fed?: true
  /** Why no prefix grant or allow rule may cover it; empty: it is plain. */
  readonly notPlain: ReadonlyArray<string>
  /** What it would run may have changed since it was approved: not even an exact grant covers it. */
  readonly unsettled: ReadonlyArray<string>
  /** Why a prefix of it can never be granted, though this very call can (SECURITY P5). */
  readonly exactOnly?: string
  /** What it takes away is gone: why no grant of its first words is offered or honoured, though a person's rule is. */
  readonly destroys?: string
  /** That, or that it empties, overwrites, packs away or changes in place what is there: why a rule on what deletes meets it. */
  readonly deletes?: string
  /** It is for reaching other machines. */
  readonly network?: true
  /** It changes nothing, names no file and reads only what it is given: it adds nothing to what the others of a line may. */
  readonly filter?: true
  /** Names that deny rules know the program by: the last segment as written and as resolved. */
  readonly names: ReadonlyArray<string>
  /** Absolute resolved paths that its words name. */
  readonly paths: ReadonlyArray<string>
  /** The words that a prefix grant of it would hold: program and subcommand. */
  readonly prefix: ReadonlyArray<string>
  /** A program and options known to change nothing. */
  readonly readOnly: boolean
  /** Digest of the files that say what runs (manifest, script); absent where there are none. */
  readonly content?: string
  /** Absolute paths of those files, and of those that would count if they were there. */
  readonly runs?: ReadonlyArray<string>
  /** Commands of shell scripts that it runs from files, and texts of others: for rules, and only as far as they show it. */
  readonly within?: { readonly commands: ReadonlyArray<SimpleCommand>; readonly texts: ReadonlyArray<string> }
  /** Code in a language of its own that it is given; `refused`: what of it would be refused as a command. */
  readonly code?: { readonly texts: ReadonlyArray<string>; readonly refused?: string }
}

/** A shell line, taken apart by a real grammar. */
export interface CommandPlan {
  readonly source: string
  readonly commands: ReadonlyArray<SimpleCommand>
  /** Files written through redirects, as written in the line. */
  readonly writes: ReadonlyArray<string>
  /** Of those, files with something in them that a redirect empties first. */
  readonly overwrites?: ReadonlyArray<string>
  /** Files read through redirects, as written in the line. */
  readonly reads: ReadonlyArray<string>
  /** Why the whole line must ask; empty: each simple command decides. */
  readonly doubts: ReadonlyArray<string>
  /** A word that may be a path and is not known before it runs: a rule on paths cannot say that it names none of its own. */
  readonly unknown?: string
  /** Set where the line must never run: ill-formed text, too long, a refused program. */
  readonly refused?: string
}

/**
 * The one-use token that lets a tool run: minted by the gate for one call id and the digest of its canonical
 * arguments, spent by the registry (SECURITY, layer rule).
 */
export interface Permit {
  readonly call_id: CallId
  readonly digest: string
  readonly spend: () => boolean
}
