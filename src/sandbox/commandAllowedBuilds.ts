/**
 * What package managers and builders may be given without a question (SECURITY P8), as data. Owns: those rows. Does not
 * own: how they are read (commandAllowed). Pure. Invariant: as there; a listed option runs no code, writes no named file,
 * moves no root and changes no source of packages.
 */
import type { Allowed } from "./commandAllowed.ts"
import { RUNS_SCRIPTS_AFTER_ALL } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

export const BUILDS: Readonly<Record<string, Allowed>> = {
  pnpm: {
    short: "sPDhv",
    long: set(`frozen-lockfile prefer-frozen-lockfile offline prefer-offline ignore-scripts silent reporter loglevel prod
      production dev no-optional optional force lockfile-only fix-lockfile resolution-only depth long json parseable
      if-present no-bail bail aggregate-output stream color no-color help version strict-peer-dependencies
      no-strict-peer-dependencies audit-level only-allow sort sequential parallel`),
    not: RUNS_SCRIPTS_AFTER_ALL,
    plain: ["--frozen-lockfile", "--prefer-offline", "-s", "--ignore-scripts", "--depth=0"],
    asks: [
      "--pnpmfile=evil.cjs",
      "--global-pnpmfile=x",
      "--dangerously-allow-all-builds",
      "--@a:registry=http://evil/",
      "--https-proxy=http://evil/",
      "--patches-dir=x",
      "-C",
      "-r",
      "-w",
      "-F",
      "--filter=x",
      "--config.script-shell=x",
      "--registry=x",
      "--no-frozen-lockfile",
      "--ignore-scripts=false"
    ]
  },
  yarn: {
    short: "shv",
    long: set(`silent quiet verbose json frozen-lockfile immutable immutable-cache offline prefer-offline production prod
      no-progress non-interactive ignore-scripts ignore-engines ignore-optional ignore-platform check-files check-cache
      force network-timeout pure-lockfile inline-builds level depth pattern help version integrity verify-tree top-level
      no-emoji groups recursive`),
    not: RUNS_SCRIPTS_AFTER_ALL,
    plain: ["--frozen-lockfile", "--silent", "-s", "--immutable"],
    asks: [
      "--update-checksums",
      "--@a:registry=http://evil/",
      "--https-proxy=x",
      "--cwd=x",
      "--registry",
      "--modules-folder=x",
      "--no-lockfile",
      "--use-yarnrc=x",
      "--mode=update-lockfile",
      "--ignore-scripts=false"
    ]
  },
  go: {
    short: "vnxamcsu",
    long: set(`run count race short timeout cover covermode coverpkg bench benchmem benchtime parallel failfast json cpu list
      shuffle skip tags trimpath buildvcs versions deps test find export compiled all src cmd fullpath retracted compat go
      reuse msan asan`),
    also: /^--?coverprofile=[\w-]+(?:\.[\w-]+)*\.(?:out|cov)$/,
    plain: ["-v", "-run", "-run=TestX", "-race", "-count=1", "-coverprofile=c.out", "-json", "-short"],
    asks: [
      "-test.testlogfile=x",
      "-test.gocoverdir=x",
      "-test.fuzzcachedir=x",
      "-exec",
      "-toolexec=x",
      "-o",
      "-C",
      "-modfile=x",
      "-overlay=x",
      "-vettool=x",
      "-coverprofile=x",
      "-coverprofile=../c.out",
      "-cpuprofile=x.out",
      "-ldflags=x",
      "-mod=mod",
      "-args"
    ]
  },
  cargo: {
    short: "rvqjphVdeiFnl",
    long: set(`release all workspace all-targets all-features no-default-features features lib bins bin test tests example
      examples bench benches doc no-run no-fail-fast locked offline frozen verbose quiet message-format color keep-going
      jobs profile target package exclude check no-deps document-private-items depth format edges invert duplicates help
      version format-version filter-platform timings list limit future-incompat-report charset`),
    plain: ["--release", "-p", "-q", "--all-features", "--check", "-j4"],
    asks: [
      "--config=x",
      "--manifest-path=x",
      "--target-dir",
      "--artifact-dir=x",
      "--out-dir=x",
      "--lockfile-path=x",
      "-Zunstable",
      "-C",
      "--open",
      "--registry=x",
      "--index=x",
      "--fix",
      "--allow-dirty"
    ]
  }
}

const RUST_LINT: Allowed = {
  short: "DWAF",
  long: set("deny warn allow forbid cap-lints"),
  also: /^-[DWAF][a-z][a-z0-9_:-]*$/,
  plain: ["-D", "-Dwarnings", "-Aclippy::all", "--deny"],
  asks: ["-C", "-Clinker=x", "--print-config", "-Zx", "--emit=x", "-o", "-L"]
}
const RUST_FORMAT: Allowed = {
  short: "lvqh",
  long: set("check verbose quiet edition color files-with-diff help"),
  plain: ["--check", "-l", "--edition=2021"],
  asks: ["--config-path=x", "--config=x", "--print-config", "--emit=files"]
}
const NOTHING: Allowed = { short: "", long: new Set(), plain: [], asks: ["-C", "-Clinker=x", "--print-config"] }
const HARNESS: Allowed = {
  short: "qh",
  long: set(`nocapture no-capture test-threads exact ignored include-ignored skip show-output list quiet color format
    report-time shuffle bench test help`),
  plain: ["--nocapture", "--test-threads=1", "--exact"],
  asks: ["--logfile", "--logfile=x", "-Z"]
}

/** What these programs hand on behind `--`, by their own command; others of theirs hand on nothing that asks. */
export const BEHIND: Readonly<Record<string, Readonly<Record<string, Allowed>>>> = {
  cargo: {
    test: HARNESS,
    t: HARNESS,
    bench: HARNESS,
    clippy: RUST_LINT,
    fmt: RUST_FORMAT,
    doc: NOTHING,
    d: NOTHING,
    rustc: NOTHING,
    rustdoc: NOTHING
  }
}
