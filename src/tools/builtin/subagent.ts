/**
 * `subagent`: a task of its own for another run of the model, with a fresh history and narrowed tools. Owns: what the model
 * says of it. Does not own: how it runs (engine). Effect class `once`: what it did is not known after a crash, and it is
 * never begun again without a person's word.
 */
import { Effect, Schema } from "effect"
import { SUBAGENT, SubagentRunner } from "../SubagentRunner.ts"
import * as Tool from "../Tool.ts"
import { ToolError } from "../ToolError.ts"

const optional = Schema.optionalKey

const Order = Schema.Struct({
  title: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(80)).annotate({
    description: "A few words that name the task, for the person who watches."
  }),
  prompt: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(100_000)).annotate({
    description:
      "The whole task. It knows nothing of this conversation: give it paths, facts, limits and what to report."
  }),
  tools: optional(
    Schema.Array(Schema.String).annotate({ description: "Names of the tools that it gets; absent: those you have." })
  ),
  read_only: optional(Schema.Boolean.annotate({ description: "True: it may look, but change nothing." })),
  max_turns: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
      description: "Turns of the model that it may take, where fewer than the limit."
    })
  ),
  background: optional(
    Schema.Boolean.annotate({
      description: "True: this call ends at once, and its report comes as a message when it is done."
    })
  )
})

const DAY_MS = 86_400_000

export const makeSubagent = (): Tool.Tool =>
  Tool.make({
    name: SUBAGENT,
    description:
      "Gives a task to a subagent: another run of the model with a fresh history, whose last answer is this call's result. " +
      "Several calls of one answer run at the same time. Use it for work that can be described in full and whose details " +
      "need not be remembered here: searching widely, reviewing, independent changes in different files.",
    parameters: Order,
    effect: "once",
    placeless: true,
    // It has limits of its own: turns, tokens, money.
    timeout_ms: DAY_MS,
    assess: ({ title }) =>
      Effect.succeed({
        risk: "safe",
        reason: `begins the subagent "${title}", whose calls are checked one by one`,
        paths: [],
        opaque: false
      }),
    run: (order, context) =>
      Effect.flatMap(SubagentRunner, (run) =>
        run === undefined
          ? Effect.fail(new ToolError({ code: "tool_failed", detail: "There are no subagents here." }))
          : run(order, context)
      )
  })
