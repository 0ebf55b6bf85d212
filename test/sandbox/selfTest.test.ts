/** What is called in force was tried, and whatever is taken away from it is noticed (SECURITY T26, T14, R165). */
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Bubblewrap from "../../src/sandbox/bubblewrap/Bubblewrap.ts"
import { findPrograms, type Programs } from "../../src/sandbox/bubblewrap/supervisor.ts"
import { Isolation, type IsolationSettings } from "../../src/sandbox/Isolation.ts"
import { ProcessRunner } from "../../src/sandbox/ProcessRunner.ts"
import { directoryWith } from "../support/directories.ts"
import { isolationSettings, script } from "../support/processes.ts"

const PATH = process.env["PATH"] ?? ""

const started = Effect.fnUntraced(function* (
  mode: IsolationSettings["mode"],
  path = PATH,
  more: Partial<IsolationSettings> = {}
) {
  const home = yield* directoryWith()
  const state = yield* directoryWith()
  const context = yield* Layer.build(
    Bubblewrap.layer({
      environment: { PATH: path, HOME: home },
      own: [state],
      settings: { ...isolationSettings, mode, ...more }
    })
  )
  const report = yield* Context.get(context, Isolation).report
  return { report, runner: Context.get(context, ProcessRunner), state }
})

const NAMES = `write_outside write_temporary_files_of_others write_through_a_link write_control_plane
  move_control_plane write_missing_control_plane write_git_settings_elsewhere write_where_git_settings_lead
  write_nested_repository make_repository_that_runs_programs read_secret reach_docker see_outside_process kill_outside_process
  read_environment_of_others trace_supervisor enter_outside_root outlive_the_call use_inherited_descriptor connect_to_loopback
  connect_to_abstract_socket make_vsock_socket mount use_device change_kernel_settings gain_privileges make_user_namespace
  write_without_limit fill_memory_with_files`.split(/\s+/)

const outOf = (report: { readonly attempts: ReadonlyArray<{ readonly name: string; readonly held: boolean }> }) =>
  report.attempts.filter(({ held }) => !held).map(({ name }) => name)

/** A directory with a bubblewrap that leaves something out: `cases` are branches of bash's `case "$1"`. */
const lesser = Effect.fnUntraced(function* (cases: string) {
  const programs = findPrograms(PATH) as Programs
  const directory = yield* directoryWith()
  const path = join(directory, "bwrap")
  const text = `#!/bin/bash
[ "$1" = --version ] && exec ${programs.bwrap} --version
a=()
while [ $# -gt 0 ]; do case "$1" in
--) a+=("$@"); break;;
${cases}
*) a+=("$1"); shift;;
esac; done
exec ${programs.bwrap} "\${a[@]}"
`
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return `${directory}:${PATH}`
})

describe("the self-test", () => {
  it.live(
    "tries these ways out, and all of them hold",
    () =>
      Effect.gen(function* () {
        const { report, state } = yield* started("required")
        assert.strictEqual(report.state, "in_force", report.detail)
        assert.match(
          report.detail,
          /^Commands run in bubblewrap \d+\.\d+\.\d+: .*, no network, processes of their own, memory (?:bounded by a control group|watched by claw); 29 ways out were tried/
        )
        assert.deepStrictEqual(outOf(report), [])
        assert.deepStrictEqual(
          report.attempts.map(({ name }) => name),
          NAMES
        )
        assert.deepStrictEqual(readdirSync(state), [])
      }),
    60_000
  )

  it.live(
    "tries one more where hosts are listed",
    () =>
      Effect.gen(function* () {
        const { report } = yield* started("required", PATH, { hosts: ["example.com", "*.example.org"] })
        assert.match(report.detail, /no network but 2 listed hosts by HTTP.*; 30 ways out were tried/)
        assert.deepInclude(report.attempts, { name: "reach_unlisted_host", held: true })
      }),
    60_000
  )

  const without: ReadonlyArray<readonly [what: string, cases: string, ...out: ReadonlyArray<string>]> = [
    ["a network of its own", "--unshare-net) shift;;", "connect_to_loopback", "connect_to_abstract_socket"],
    [
      "a read-only root",
      '--ro-bind) [ "$2" = / ] && a+=(--bind) || a+=(--ro-bind); a+=("$2" "$3"); shift 3;;',
      "write_outside"
    ],
    [
      "the control plane's mounts",
      '--ro-bind|--bind) case "$3" in */.git|*/.git/*|*/.claw|*/.clawrc) ;; *) a+=("$1" "$2" "$3");; esac; shift 3;;',
      "write_control_plane",
      "move_control_plane",
      "write_missing_control_plane",
      "write_git_settings_elsewhere",
      "write_nested_repository"
    ],
    ["hidden places", "--size|--tmpfs) shift 2;;", "read_secret"],
    ["a bound on files in memory", "--size) shift 2;;", "fill_memory_with_files"],
    ["the filter of system calls", "--seccomp) shift 2;;", "make_vsock_socket"],
    ["the ban on user namespaces", "--disable-userns) shift;;", "make_user_namespace"]
  ]
  for (const [what, cases, ...out] of without) {
    it.live(
      `sees that there is not: ${what}; then nothing runs where it is required`,
      () =>
        Effect.gen(function* () {
          const { report, runner } = yield* started("required", yield* lesser(cases))
          assert.strictEqual(report.state, "required", report.detail)
          assert.includeMembers(outOf(report), out)
          const error = yield* Effect.flip(runner.run(script("echo ran")))
          assert.deepStrictEqual([error.reason, error.detail], ["not_isolated", report.detail])
        }),
      60_000
    )
  }

  it.live("where bubblewrap is missing, auto runs without it and required runs nothing", () =>
    Effect.gen(function* () {
      const programs = findPrograms(PATH) as Programs
      const path = yield* directoryWith()
      for (const name of ["bash", "sh", "mkfifo"]) symlinkSync(join(programs.perl, "..", name), join(path, name))
      const auto = yield* started("auto", path)
      assert.deepStrictEqual(auto.report, {
        state: "unavailable",
        detail:
          "Commands run as you, in their own process group, without claw's keys; " +
          "nothing isolates their files and network: bwrap was not found on PATH.",
        attempts: []
      })
      assert.strictEqual((yield* auto.runner.run(script("echo ran"))).output.text, "ran\n")
      const required = yield* started("required", path)
      assert.strictEqual(
        required.report.detail,
        "No command runs, for isolation is required and missing: bwrap was not found on PATH."
      )
      assert.strictEqual((yield* Effect.flip(required.runner.run(script("echo ran")))).reason, "not_isolated")
    })
  )

  it.live("a bubblewrap that cannot start anything is no isolation", () =>
    Effect.gen(function* () {
      const { report } = yield* started("auto", yield* lesser("--unshare-user) a+=(--no-such-option); shift;;"))
      assert.strictEqual(report.state, "unavailable")
      assert.match(report.detail, /The command was not started: bwrap: Unknown option --no-such-option/)
    })
  )
})
