/** The program's own composition over a fake model server, a scratch state directory and a scratch git repository. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Layer, Result } from "effect"
import { sessions } from "../../src/app/layers.ts"
import { choose } from "../../src/app/model.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import type { Answer } from "../../src/domain/Approval.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"
import { newSessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"

export const folder = (prefix: string) =>
  Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), prefix)))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd, encoding: "utf8" })

/** A git repository with these files committed. */
export const repository = (files: Readonly<Record<string, string>>) =>
  Effect.tap(folder("claw-repo-"), (root) =>
    Effect.sync(() => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
      git(root, "init", "-q")
      git(root, "add", "-A")
      git(root, "commit", "-qm", "start")
    })
  )

export interface RealOptions {
  readonly base_url: string
  readonly workspace: string
  readonly state: string
  readonly flags?: ConfigFile
}

/** The layers of `claw`, as its main builds them. */
export const layer = ({ base_url, workspace, state, flags }: RealOptions) => {
  const env = {
    HOME: state,
    PATH: process.env["PATH"],
    OPENAI_BASE_URL: base_url,
    OPENAI_API_KEY: "sk-test-0123456789",
    CLAW_MODEL: "m"
  }
  const config = Result.getOrThrow(load({ workspace, env, flags: { state_dir: join(state, "claw"), ...flags } }))
  return Effect.map(Effect.fromResult(choose(config)), (choice) => sessions(config, choice)).pipe(
    Effect.orDie,
    Layer.unwrap
  )
}

export const newSession = (workspace: string) =>
  Effect.flatMap(RuntimeManager, (manager) => manager.create(newSessionId(), { workspace }))

/** Answers every question as it comes; collects the facts. */
export const answering = (session: SessionRuntime, decision: Answer) =>
  Effect.gen(function* () {
    const facts: Array<DurableEvent> = []
    const context = yield* Effect.context<never>()
    yield* session.subscribe({
      after: { seq: 0 },
      answers: true,
      sink: (events) => {
        for (const event of events) {
          if ("seq" in event) facts.push(event)
          if (event.type !== "approval_request") continue
          Effect.runForkWith(context)(Effect.ignore(session.answer({ request_id: event.request_id, decision })))
        }
      }
    })
    return facts
  })
