/**
 * When a task waited for whom: the model, a person, a tool. Pure, from facts alone. Units: milliseconds since the epoch.
 * Invariant: a span that has no end yet ends with the newest fact of its task.
 */
import type { DurableEvent } from "../../domain/Event.ts"
import { isNested } from "../../domain/Nested.ts"
import { callText } from "../text/callText.ts"
import { firstLine } from "../text/format.ts"
import { reveal } from "../text/reveal.ts"

export type SpanKind = "model" | "approval" | "tool"

export interface Span {
  readonly kind: SpanKind
  readonly name: string
  readonly from: number
  readonly to: number
  readonly failed: boolean
}

export interface TaskSpans {
  readonly task_id: string
  readonly title: string
  readonly from: number
  readonly to: number
  readonly spans: ReadonlyArray<Span>
}

interface Open {
  readonly kind: SpanKind
  readonly name: string
  readonly from: number
}

class Task {
  readonly task_id: string
  readonly title: string
  readonly from: number
  readonly spans: Array<Span> = []
  private readonly open = new Map<string, Open>()
  private readonly names = new Map<string, string>()
  private last: number

  constructor(task_id: string, title: string, from: number) {
    this.task_id = task_id
    this.title = title
    this.from = from
    this.last = from
  }

  see(event: DurableEvent): void {
    const at = Date.parse(event.ts)
    this.last = Math.max(this.last, at)
    // Its call has a span, and so has each of its calls.
    if (isNested(event) && (event.type === "thinking" || event.type === "text_completed")) return
    switch (event.type) {
      case "thinking":
        return this.begin("model", { kind: "model", name: `${event.turn}`, from: at })
      case "text_completed":
        return this.end("model", at, event.partial === true)
      case "tool_call":
        return void this.names.set(
          event.call_id,
          `${reveal(event.tool_name)} ${firstLine(callText(event.content).subject, 60)}`
        )
      case "approval_request":
        return this.begin(`approval ${event.call_id}`, { kind: "approval", name: this.nameOf(event), from: at })
      case "approval_resolved":
        return this.end(`approval ${event.call_id}`, at, event.decision === "deny")
      case "tool_started":
        return this.begin(`tool ${event.call_id}`, {
          kind: "tool",
          name: this.names.get(event.call_id) ?? "",
          from: at
        })
      case "tool_result":
        return this.end(`tool ${event.call_id}`, at, event.status !== "ok")
    }
  }

  done(): TaskSpans {
    for (const key of Array.from(this.open.keys())) this.end(key, this.last, false)
    const spans = this.spans.toSorted((a, b) => a.from - b.from)
    return { task_id: this.task_id, title: this.title, from: this.from, to: this.last, spans }
  }

  private nameOf(event: { readonly call_id: string; readonly tool_name: string }): string {
    return this.names.get(event.call_id) ?? reveal(event.tool_name)
  }

  private begin(key: string, open: Open): void {
    this.open.set(key, open)
  }

  private end(key: string, to: number, failed: boolean): void {
    const open = this.open.get(key)
    if (open === undefined) return
    this.open.delete(key)
    this.spans.push({ ...open, to, failed })
  }
}

/** Oldest first; facts before the first `task_started` belong to none. */
export const spansOf = (facts: ReadonlyArray<DurableEvent>): ReadonlyArray<TaskSpans> => {
  const tasks: Array<Task> = []
  for (const fact of facts) {
    if (fact.type === "task_started")
      tasks.push(new Task(fact.task_id, firstLine(fact.content, 80), Date.parse(fact.ts)))
    else tasks.at(-1)?.see(fact)
  }
  return tasks.map((task) => task.done())
}

export const sumOf = (spans: ReadonlyArray<Span>, kind: SpanKind): number =>
  spans.filter((span) => span.kind === kind).reduce((sum, { from, to }) => sum + to - from, 0)
