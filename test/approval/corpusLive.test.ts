/**
 * The corpus live (issue 4, SECURITY §2 (b), R137, R152, R165): each entry with a proof goes through the real gate in a
 * throw-away repository, and the proof does not appear; with nobody in between it does, so the proofs are real.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import { bashCorpus, judgeEntry, readCorpus, type BashEntry } from "../support/approvalCorpus.ts"
import { gated, gatedIn, layerIsolated, PATH, type ProvenEntry, template, ungated } from "../support/liveCorpus.ts"

const corpus = bashCorpus("bash", "more", "hostile", "variants")
const known = readCorpus("proofs") as Readonly<Record<string, Omit<ProvenEntry, keyof BashEntry | "proof">>>

const proven = corpus.flatMap((entry): ReadonlyArray<ProvenEntry> => {
  if (!Object.hasOwn(known, entry.id)) return []
  const { needs, unseen, ...proof } = known[entry.id]!
  return [{ ...entry, proof, ...(needs === undefined ? {} : { needs }), ...(unseen === undefined ? {} : { unseen }) }]
})

const isHere = (program: string): boolean =>
  program.startsWith("/") ? existsSync(program) : PATH.split(":").some((one) => existsSync(join(one, program)))
const canBeSeen = ({ needs = [], unseen }: ProvenEntry): boolean => unseen !== true && needs.every(isHere)

const TOGETHER = { concurrency: 3 } as const
const LIMIT = 240_000

describe("every proof through the gate", () => {
  it("45 of the given corpus, 247 more that were seen to work, 24 whose program was missing", () => {
    const unseen = proven.filter((entry) => entry.unseen === true)
    const ids = (from: ReadonlyArray<ProvenEntry>) => from.filter(({ id }) => id.startsWith("B")).length
    assert.deepStrictEqual([proven.length, ids(proven), unseen.length, ids(unseen)], [316, 45, 24, 0])
    assert.isTrue(unseen.every(({ needs = [] }) => needs.length > 0))
  })

  it.live(
    "where nobody is asked, and where a person refuses: no marker, no command",
    () =>
      Effect.gen(function* () {
        const { path } = yield* template
        const modes = ["never-ask", "ask"] as const satisfies ReadonlyArray<Mode>
        const seen = yield* Effect.forEach(
          proven,
          (entry) =>
            Effect.scoped(gatedIn(path, { entry, answer: "deny", proof: entry.proof }, modes)).pipe(
              Effect.map((each) => ({
                id: entry.id,
                each: each.map(({ verdict, ...rest }) => ({ decision: verdict.decision, ...rest }))
              }))
            ),
          TOGETHER
        )
        const asked = new Set(proven.filter((entry) => judgeEntry(entry).action === "ask").map(({ id }) => id))
        const refused = (questions: number) => ({
          decision: "deny" as const,
          happened: false,
          questions,
          output: undefined
        })
        assert.deepStrictEqual(
          seen,
          proven.map(({ id }) => ({ id, each: [refused(0), refused(asked.has(id) ? 1 : 0)] }))
        )
      }).pipe(Effect.provide(layerIsolated)),
    LIMIT
  )
})

/** All of the given corpus, and every seventh of ours; each of them has been seen once. */
const shown = proven.filter(canBeSeen).filter(({ id }, at) => id.startsWith("B") || at % 7 === 0)

/** The ones that the gate only asks about, by the different ways in which they hide. */
const ANSWERED = "B001 B011 B015 B031 B043 B051 B061 B077 B085 B091 B105 B115 B123".split(" ")

describe(`the proofs are real (${proven.filter((entry) => !canBeSeen(entry)).length} of them cannot be seen here)`, () => {
  it.live(
    "with nobody in between the marker appears",
    () =>
      Effect.gen(function* () {
        assert.isAbove(shown.length, 60)
        const { path } = yield* template
        const worked = yield* Effect.forEach(
          shown,
          (entry) => Effect.map(Effect.scoped(ungated(path, entry)), (happened) => [entry.id, happened]),
          TOGETHER
        )
        assert.deepStrictEqual(
          worked,
          shown.map(({ id }) => [id, true])
        )
      }).pipe(Effect.provide(layerIsolated)),
    LIMIT
  )

  it.live(
    "a person who allows it gets it, through the same gate and sandbox",
    () =>
      Effect.gen(function* () {
        const { path } = yield* template
        const entries = proven.filter(({ id }) => ANSWERED.includes(id))
        const seen = yield* Effect.forEach(
          entries,
          (entry) =>
            Effect.scoped(gated(path, { entry, mode: "ask", answer: "allow_once", proof: entry.proof })).pipe(
              Effect.map(({ happened, questions }) => [entry.id, happened, questions])
            ),
          TOGETHER
        )
        assert.deepStrictEqual(
          seen,
          ANSWERED.map((id) => [id, true, 1])
        )
      }).pipe(Effect.provide(layerIsolated)),
    LIMIT
  )

  it.live(
    "what is ordinary runs without a question",
    () =>
      Effect.gen(function* () {
        const { path } = yield* template
        const entries = bashCorpus("bash").filter(({ benign, expect }) => benign && expect === "allow")
        const seen = yield* Effect.forEach(
          entries,
          (entry) =>
            Effect.scoped(gated(path, { entry, mode: "ask", answer: "deny" })).pipe(
              Effect.map(({ output, questions, verdict }) => [
                entry.id,
                verdict.decision,
                questions,
                output !== undefined
              ])
            ),
          TOGETHER
        )
        assert.deepStrictEqual(
          seen,
          entries.map(({ id }) => [id, "allow_once", 0, true])
        )
      }).pipe(Effect.provide(layerIsolated)),
    LIMIT
  )
})
