/** A real Chromium without a head, closed with the scope; it reaches nobody but whom a page asks for. */
import { Effect } from "effect"
import { chromium } from "playwright-core"
import { programAt } from "./servedProgram.ts"

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run"
]

export const browser = Effect.flatMap(programAt("chromium"), (executablePath) =>
  Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath, args: FLAGS })),
    (open) => Effect.promise(() => open.close())
  )
)
