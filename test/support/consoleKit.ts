/**
 * The built console in Chromium, on a `claw serve` of its own with a model that does what a prompt says. Owns: that
 * server, browser and model end with their scope, a session of ten thousand items and one of answers that are too long. Invariant: every page fails its
 * test where a script of it does.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Deferred, Effect, Layer } from "effect"
import { type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core"
import { BIG, bigSession, exported } from "../../scripts/benchConsole/bigSession.ts"
import { browser } from "./browser.ts"
import { claw, world } from "./e2eProgram.ts"
import { served } from "./e2eServer.ts"
import { calls, delta, DONE, finish, HEAD, SSE, text, type Answer } from "./fakeModelScript.ts"

export { BIG }

export const LONG = "long-session"

const GREET = "---\ndescription: Greets somebody.\nargument-hint: NAME\n---\nsay hello $1, welcome\n"

/** Two answers: 1,250 paragraphs, and 20,000 lines that are one. */
const longSession = (): string => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const many = Array.from({ length: 1_250 }, (_, i) => `**p${i}** with \`code\` and ${"words ".repeat(140)}\n\n`)
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} of many\n`)
  const bodies = [many, lines].flatMap((parts, i) => {
    const [task_id, stream_id] = [`t${i}`, `s${i}`]
    const at = { task_id, turn: 1 }
    return [
      { type: "task_started", task_id, prompt_id: `p${i}`, content: `question ${i}` },
      { type: "thinking", ...at, stream_id, reasoning_stream_id: `r${i}` },
      { type: "text_completed", ...at, stream_id, content: parts.join(""), finish_reason: "stop" },
      { type: "task_completed", task_id, usage }
    ]
  })
  return exported(LONG, "Long", bodies)
}

const bash = (command: string, nth = 0) => ({
  id: `call-${Date.now()}-${nth}`,
  name: "bash",
  arguments: JSON.stringify({ command })
})

const birds = [
  ["heron", "say grey"],
  ["crane", "say white"],
  ["stork", "run touch stork.txt"]
] as const

const subagent = ([title, prompt]: (typeof birds)[number]) => ({
  id: `call-${Date.now()}-${title}`,
  name: "subagent",
  arguments: JSON.stringify({ title, prompt })
})

/** `three`: as many subagents, one of which asks. `say X`: X. `run X`: the command X, then the word ran; `twice X`: it and the same with a 2 behind it, then ran. `flow X`: X, then what comes once `let go` was called. */
const answering =
  (go: Effect.Effect<void>) =>
  (prompt: string, afterTool: boolean): Answer => {
    const [word, rest] = [prompt.split(" ", 1)[0], prompt.slice(prompt.indexOf(" ") + 1)]
    if (word === "run" && !afterTool) return calls([bash(rest)])
    if (word === "twice" && !afterTool) return calls([bash(rest), bash(`${rest}2`, 1)])
    if (word === "three" && !afterTool) return calls(birds.map(subagent))
    if (word === "three") return text("all three")
    if (word === "run" || word === "twice") return text("ran")
    if (word !== "flow") return text(rest, 4)
    const steps = [
      HEAD,
      delta({ content: `${rest} begins. ` }),
      { until: go },
      delta({ content: "It ends." }),
      finish("stop"),
      DONE
    ]
    return { status: 200, headers: SSE, steps }
  }

interface Shape {
  readonly url: string
  readonly token: string
  readonly page: (options?: BrowserContextOptions) => Effect.Effect<Page>
  /** Whatever flows goes on. */
  readonly letGo: () => void
}

export class Site extends Context.Service<Site, Shape>()("test/Site") {}

const watched = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.on("pageerror", (error) => {
    throw error
  })
  return page
}

export const site = Layer.effect(
  Site,
  Effect.gen(function* () {
    const at = yield* world()
    const go = yield* Deferred.make<void>()
    const answer = answering(Deferred.await(go))
    at.model.rule(({ messages }) => {
      const last = messages.findLast(({ role }) => role === "user")
      return answer(String(last?.["content"]), messages.at(-1)?.["role"] === "tool")
    })
    for (const [i, session] of [bigSession(), longSession()].entries()) {
      const file = join(at.home, `session-${i}.json`)
      writeFileSync(file, session)
      const imported = yield* claw(["sessions", "import", file], { env: at.env, cwd: at.workspace })
      if (imported.code !== 0) return yield* Effect.die(new Error(imported.stderr))
    }
    mkdirSync(join(at.home, ".config/claw/commands"), { recursive: true })
    writeFileSync(join(at.home, ".config/claw/commands/greet.md"), GREET)
    const { ready } = yield* served(at, [])
    const chromium = yield* browser
    const first = yield* Effect.promise(() => chromium.newContext())
    const url = ready.http.url
    yield* Effect.promise(async () => {
      const page = await watched(first)
      await page.goto(`${url}/#token=${ready.token ?? ""}`)
      await page.locator(".shell").waitFor()
    })
    const storageState = yield* Effect.promise(() => first.storageState())
    return {
      url,
      token: ready.token ?? "",
      letGo: () => void Deferred.doneUnsafe(go, Effect.void),
      page: (options = {}) =>
        Effect.promise(async () => watched(await chromium.newContext({ storageState, locale: "en-US", ...options })))
    }
  })
)
