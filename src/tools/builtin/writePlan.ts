/**
 * write_plan: a plan, or a list of what is to be done, as a new file at the workspace's root, also in mode `plan`, which
 * changes nothing else. Invariant: no file that is there is ever replaced; a name that is taken leads to the next one.
 */
import { Effect, Schema } from "effect"
import type { RiskAssessment } from "../../domain/Approval.ts"
import type { Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { diffPreview } from "./diffPreview.ts"
import { failed, toToolError, writeRisk } from "./pathRisk.ts"

const FILES = { plan: "PLAN", todo: "TODO" } as const
const MOST_FILES = 99
const MAX_CHARS = 200_000

const Parameters = Schema.Struct({
  kind: Schema.Literals(["plan", "todo"]).annotate({ description: "plan: PLAN.md; todo: TODO.md." }),
  content: Schema.NonEmptyString.check(Schema.isMaxLength(MAX_CHARS)).annotate({
    description: "The whole file, as Markdown."
  })
})
type Args = typeof Parameters.Type
type Room = (typeof Workspace)["Service"]

const nameAt = (kind: Args["kind"], nth: number): string => `${FILES[kind]}${nth === 1 ? "" : `-${nth}`}.md`

/** The first name at which nothing is, not even a link. */
const freeName = Effect.fnUntraced(function* (workspace: Room, kind: Args["kind"]) {
  const taken = new Set((yield* workspace.list(".")).map(({ name }) => name.toLowerCase()))
  for (let nth = 1; nth <= MOST_FILES; nth++) {
    const name = nameAt(kind, nth)
    if (!taken.has(name.toLowerCase())) return name
  }
  return yield* failed(`There are ${MOST_FILES} files ${nameAt(kind, 1)} to ${nameAt(kind, MOST_FILES)} already.`)
})

const assess = (workspace: Room, kind: Args["kind"]): Effect.Effect<RiskAssessment> =>
  freeName(workspace, kind).pipe(
    Effect.flatMap((name) => writeRisk(workspace, name)),
    Effect.map((risk): RiskAssessment => (risk.risk === "mutating" ? { ...risk, newPlan: true } : risk)),
    Effect.catch(({ message }) =>
      Effect.succeed({ risk: "dangerous", reason: message, paths: [], opaque: false, forbidden: message } as const)
    )
  )

const write = Effect.fnUntraced(function* (workspace: Room, { content, kind }: Args, mark: string) {
  if (!content.isWellFormed()) return yield* failed("content is not valid Unicode; nothing was written.")
  const name = yield* freeName(workspace, kind)
  const bytes = Buffer.from(content)
  const { kind: was } = yield* workspace.locate(name)
  if (was !== "missing") return yield* failed(`${name} came to be meanwhile; nothing was written.`)
  yield* workspace.write(name, bytes, { mark })
  return { content: `Created ${name} (${bytes.length} bytes).` }
})

export const makeWritePlan = (workspace: Room): Tool.Tool =>
  Tool.make({
    name: "write_plan",
    description:
      "Writes a plan (PLAN.md) or a list of what is to be done (TODO.md) as a new file at the root of the workspace, " +
      "for a person to read. Nothing is replaced: where the name is taken the next one is (PLAN-2.md). This is the " +
      "only way to write a file in plan mode.",
    parameters: Parameters,
    effect: "once",
    timeout_ms: 30_000,
    assess: ({ kind }) => assess(workspace, kind),
    preview: ({ content, kind }) =>
      Effect.map(freeName(workspace, kind), (name) => diffPreview(name, undefined, content)).pipe(
        Effect.catch(() => Effect.succeed(undefined))
      ),
    run: (args, context) =>
      write(workspace, args, Tool.markOf(context)).pipe(
        Effect.catchTag("WorkspaceError", (error) => Effect.fail(toToolError(error)))
      )
  })
