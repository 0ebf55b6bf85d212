/**
 * What a claw that was killed left in a workspace: taken away at the next start there and by `claw doctor --fix`.
 * Owns: when, and how it reads. Does not own: what it is (sandbox/bubblewrap/Remains).
 */
import { Effect } from "effect"
import type { Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { type Cleared, clearRemains, findRemains, reviewRemains, type Place } from "../sandbox/bubblewrap/Remains.ts"
import type { Finding } from "./finding.ts"

const placeOf = ({ childEnvironment, isolation, state_dir }: ConfigShape, workspace: string): Place => ({
  workspace,
  home: childEnvironment["HOME"],
  state: state_dir,
  settings: isolation
})

const texts = {
  en: {
    standIns: (places: string) => `empty places of its own (${places})`,
    held: (places: string) => `lock files of its own in ${places}`,
    cleared: (what: string) =>
      `claw: a claw that was killed here had left ${what}. They are gone; nothing of yours was touched.`,
    and: " and ",
    more: (count: number) => `, and ${count} more`
  },
  "zh-CN": {
    standIns: (places: string) => `它自己的空占位（${places}）`,
    held: (places: string) => `它在 ${places} 中的锁文件`,
    cleared: (what: string) => `claw：此处被强行终止的 claw 留下了${what}，现已清除；你的文件没有任何改动。`,
    and: "和",
    more: (count: number) => `，另有 ${count} 处`
  }
} satisfies Record<Locale, object>

const MOST = 6

/** Names claw's own leftovers as such: a list of paths alone reads as a loss. */
export const clearedLine = ({ held, standIns }: Cleared, locale: Locale): string | undefined => {
  const text = texts[locale]
  const listed = (paths: ReadonlyArray<string>) =>
    paths.slice(0, MOST).join(", ") + (paths.length > MOST ? text.more(paths.length - MOST) : "")
  const parts = [
    ...(standIns.length === 0 ? [] : [text.standIns(listed(standIns))]),
    ...(held.length === 0 ? [] : [text.held(listed(held))])
  ]
  return parts.length === 0 ? undefined : text.cleared(parts.join(text.and))
}

/** At any start; nearly always a look at one directory that is not there. */
export const clearAtStart = (config: ConfigShape) =>
  Effect.flatMap(Output, (output) =>
    Effect.suspend(() => {
      const place = placeOf(config, config.workspace)
      const cleared = clearedLine(clearRemains(place, true), config.locale)
      const notes = reviewRemains(place)
      const lines = [...(cleared === undefined ? [] : [cleared]), ...notes.map((note) => `claw: ${note}`)]
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
  const [{ held, standIns }, notes] = [clearRemains(place, false), reviewRemains(place)]
  const gone = [...held, ...standIns].map(
    (path) =>
      ({ name: "remains", status: "ok", detail: `${path}: ${LEFT}. It is gone.`, fixed: "It is gone." }) as const
  )
  return [...gone, ...notes.map((detail) => ({ name: "remains", status: "note", detail }) as const)]
}
