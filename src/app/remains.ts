/**
 * What a claw that was killed left in a workspace: taken away at the next start there and by `claw doctor --fix`.
 * Owns: when, and how it reads. Does not own: what it is (sandbox/bubblewrap/Remains).
 */
import { Effect } from "effect"
import type { Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { clearRemains, findRemains, reviewRemains, type Place } from "../sandbox/bubblewrap/Remains.ts"
import type { Finding } from "./finding.ts"

const placeOf = ({ childEnvironment, isolation, state_dir }: ConfigShape, workspace: string): Place => ({
  workspace,
  home: childEnvironment["HOME"],
  state: state_dir,
  settings: isolation
})

const texts = {
  en: { cleared: (places: string) => `claw: taken away what a claw that was killed had left: ${places}` },
  "zh-CN": { cleared: (places: string) => `claw：已清除被强行终止的 claw 留下的内容：${places}` }
} satisfies Record<Locale, object>

/** At any start; nearly always a look at one directory that is not there. */
export const clearAtStart = (config: ConfigShape) =>
  Effect.flatMap(Output, (output) =>
    Effect.suspend(() => {
      const place = placeOf(config, config.workspace)
      const [places, notes] = [clearRemains(place, true), reviewRemains(place)]
      const cleared = places.length === 0 ? [] : [texts[config.locale].cleared(places.join(", "))]
      const lines = [...cleared, ...notes.map((note) => `claw: ${note}`)]
      return lines.length === 0 ? Effect.void : output.err(lines.map((line) => `${sanitise(line)}\n`).join(""))
    })
  )

/** Where a session is opened that works elsewhere; its next call says what it puts aside. */
export const clearFor = (config: ConfigShape, workspace: string): Effect.Effect<void> =>
  Effect.sync(() => void clearRemains(placeOf(config, workspace), true))

const LEFT = "a claw that was killed left what keeps git from working as it should"

/** For `claw doctor`. */
export const remainsFindings = (config: ConfigShape, fix: boolean): ReadonlyArray<Finding> => {
  const place = placeOf(config, config.workspace)
  if (!fix)
    return findRemains(place).map((path) => ({
      name: "remains",
      status: "problem",
      detail: `${path}: ${LEFT}. Mend it: claw doctor --fix`
    }))
  const [places, notes] = [clearRemains(place, false), reviewRemains(place)]
  const gone = places.map(
    (path) =>
      ({ name: "remains", status: "ok", detail: `${path}: ${LEFT}. It is gone.`, fixed: "It is gone." }) as const
  )
  return [...gone, ...notes.map((detail) => ({ name: "remains", status: "note", detail }) as const)]
}
