/** What may follow what in the facts of a session (R040, PROTOCOL §2): the rule that a foreign file is held to. */
import { assert, it } from "@effect/vitest"
import type { DurableBody } from "../../src/domain/Event.ts"
import * as Order from "../../src/domain/Order.ts"

const facts = {
  start: { type: "task_started", task_id: "t" },
  call: { type: "tool_call", task_id: "t", call_id: "c" },
  result: { type: "tool_result", task_id: "t", call_id: "c" },
  resolved: { type: "approval_resolved", task_id: "t", call_id: "c" },
  usage: { type: "usage", task_id: "t" },
  end: { type: "task_completed", task_id: "t" },
  queued: { type: "prompt_queued", prompt_id: "p" },
  restored: { type: "files_restored", restored_task_id: "t" },
  clear2: { type: "cleared", up_to_seq: 2 },
  clear9: { type: "cleared", up_to_seq: 9 }
} as const
type Name = keyof typeof facts

it.each<readonly [string, ReadonlyArray<Name>, string | undefined]>([
  ["a whole task", ["start", "call", "resolved", "result", "usage", "end"], undefined],
  ["a decision that comes with the end of its call", ["start", "call", "result", "resolved", "end"], undefined],
  ["two tasks, and what belongs to none", ["start", "end", "restored", "queued", "start", "end"], undefined],
  ["a context cleared up to what was there", ["start", "end", "clear2"], undefined],
  ["a second end", ["start", "end", "end"], "3: its task does not run there"],
  ["a fact behind the end", ["start", "end", "usage"], "3: its task does not run there"],
  ["a fact before the beginning", ["usage"], "1: its task does not run there"],
  ["a task within another", ["start", "start"], "2: the task before it has not ended"],
  ["a result of no call", ["start", "result"], "2: its call was not made"],
  ["a call of a task that is over", ["start", "call", "end", "start", "result"], "5: its call was not made"],
  ["two results of one call", ["start", "call", "result", "result"], "4: its call has its result already"],
  ["a call made twice", ["start", "call", "call"], "3: its call was made before"],
  ["a context cleared up to what is not there", ["start", "end", "clear9"], "3: it is about facts that come later"]
])("%s", (_name, names, expected) => {
  const order = Order.make()
  const faults = names.flatMap((name, i) => {
    const why = order(i + 1, facts[name] as unknown as DurableBody)
    return why === undefined ? [] : [`${i + 1}: ${why}`]
  })
  assert.strictEqual(faults[0], expected)
})
