/**
 * todo (R082): the session's list of what is to be done, replaced as a whole, shown to the model and the user.
 * Owns: the list, in memory; a resumed session has it in its history.
 */
import { Effect, Schema } from "effect"
import * as Tool from "../Tool.ts"

const MAX_ITEMS = 100

const Item = Schema.Struct({
  content: Schema.NonEmptyString.check(Schema.isMaxCodePoints(500)).annotate({ description: "What is to be done." }),
  status: Schema.Literals(["pending", "in_progress", "completed", "canceled"])
})

const Parameters = Schema.Struct({
  items: Schema.Array(Item).check(Schema.isMaxLength(MAX_ITEMS)).annotate({
    description: "The complete list, in order; it replaces the earlier one. At most one item in_progress."
  })
})

const MARKS = { pending: "[ ]", in_progress: "[>]", completed: "[x]", canceled: "[-]" } as const

const render = (items: ReadonlyArray<typeof Item.Type>): string => {
  if (items.length === 0) return "(the list is empty)"
  const done = items.filter(({ status }) => status === "completed").length
  return [
    ...items.map(({ content, status }) => `${MARKS[status]} ${content}`),
    `(${done} of ${items.length} done)`
  ].join("\n")
}

export const makeTodo = (): Tool.Tool =>
  Tool.make({
    name: "todo",
    description:
      "Keeps a list of steps for a longer task, shown to the user. Send the whole list each time something changes. " +
      "Not needed for a task of one or two steps.",
    parameters: Parameters,
    effect: "idempotent",
    timeout_ms: 5_000,
    assess: () => Effect.succeed({ risk: "safe", reason: "changes the list of steps", paths: [], opaque: false }),
    run: ({ items }) => Effect.sync(() => ({ content: render(items).toWellFormed() }))
  })
