/**
 * For programs with a wide surface, the only options that do not ask (SECURITY P8), as data: everything else that begins
 * with a dash does. Owns: the lists. Pure. Invariant: a listed option runs no code, writes no named file, moves no root
 * and changes no source of packages; each row carries words that pass and words that ask.
 */
import { BEHIND, BUILDS } from "./commandAllowedBuilds.ts"
import { CHECKERS } from "./commandAllowedChecks.ts"
import { RUNS_SCRIPTS_AFTER_ALL } from "./commandTables.ts"

export interface Allowed {
  /** Letters, alone or in a cluster, with a number behind. */
  readonly short: string
  readonly long: ReadonlySet<string>
  /** `@file` stands for further words. */
  readonly files?: true
  /** Further words that pass, with the word behind them too. */
  readonly also?: RegExp
  /** Further words that pass behind one of its commands. */
  readonly of?: Readonly<Record<string, RegExp>>
  /** An option and the word behind it, which count only in another form. */
  readonly not?: RegExp
  readonly plain: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
}

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

export const ALLOWED: Readonly<Record<string, Allowed>> = {
  ...BUILDS,
  ...CHECKERS,
  pytest: {
    short: "kqvxslmrnh",
    long: set(`quiet verbose exitfirst capture showlocals maxfail tb lf last-failed ff failed-first nf new-first sw stepwise
      collect-only co durations durations-min color version help markers fixtures strict-markers no-header no-summary
      numprocesses disable-warnings runxfail full-trace`),
    files: true,
    also: /^(?:-r[A-Za-z]+|--cov(?:=\w[\w./-]*)?|--cov-report=term(?:-missing)?|-p[ ]?no:\w+)$/,
    plain: ["-q", "-xvs", "--maxfail=1", "-n4", "--tb=short", "-ra", "-rA", "--cov", "--cov=src", "-pno:cacheprovider"],
    asks: ["-p", "-pevil", "--rootdir=x", "-c", "--cov-config=x", "--cov-report=xml:x", "@args", "-o", "--pyargs"]
  },
  tsc: {
    short: "vh",
    long: set(`noEmit pretty strict skipLibCheck version help listFiles listFilesOnly showConfig noErrorTruncation diagnostics
      extendedDiagnostics explainFiles traceResolution noUnusedLocals noUnusedParameters noImplicitAny`),
    files: true,
    // The grant is bound to what it holds.
    also: /^(?:-p|--project) (?:[\w-]+\/)*tsconfig[\w.-]*\.json$/,
    plain: ["--noEmit", "--pretty", "-v"],
    asks: ["-p", "--outDir", "--outFile=x", "@args", "--build", "--watch"]
  },
  jest: {
    short: "tibhv",
    long: set(`testNamePattern testPathPattern runInBand bail ci verbose silent passWithNoTests onlyFailures onlyChanged
      listTests version help maxWorkers noCache no-cache detectOpenHandles forceExit testTimeout colors coverage`),
    also: /^--watch(?:All)?=false$/,
    files: true,
    plain: ["-t", "--runInBand", "--ci", "--coverage", "--watch=false"],
    asks: ["--watch", "-c", "--config=x", "--setupFiles", "-u", "--coverageDirectory=x", "--rootDir"]
  },
  vitest: {
    short: "tuhv",
    long: set(`testNamePattern run bail silent passWithNoTests version help changed retry testTimeout hookTimeout isolate
      allowOnly no-color fileParallelism no-file-parallelism maxWorkers minWorkers`),
    files: true,
    plain: ["--run", "-t", "--bail=1"],
    asks: ["-c", "--config", "--root=x", "-r", "--dir", "--outputFile=x"]
  },
  eslint: {
    short: "hv",
    long: set("quiet max-warnings ext no-color color version help no-error-on-unmatched-pattern no-warn-ignored"),
    files: true,
    not: /^--ext(?:=(?!\.?\w+(?:,\.?\w+)*(?: |$))| (?!\.?\w+(?:,\.?\w+)*$))/,
    plain: ["--quiet", "--max-warnings=0", "--ext=.ts,.tsx"],
    asks: ["--ext=./evil.js", "-c", "--config=x", "--fix", "-o", "--rulesdir", "--plugin=x", "-f", "--cache"]
  },
  prettier: {
    short: "clhu",
    long: set("check list-different version help ignore-unknown no-color log-level"),
    files: true,
    plain: ["--check", "-c", "-l"],
    asks: ["--write", "-w", "--config=x", "--plugin=x"]
  },
  npm: {
    short: "sqdvhflpaDEOSPB",
    long: set(`silent quiet verbose loglevel if-present json long depth all parseable omit include production dev only no-audit
      audit no-fund fund prefer-offline prefer-online offline ignore-scripts dry-run color no-color progress no-progress save
      save-dev save-exact save-optional save-peer save-prod no-save no-optional optional legacy-peer-deps strict-peer-deps
      force package-lock-only audit-level unicode timing version help usage foreground-scripts no-update-notifier
      update-notifier engine-strict no-bin-links bin-links link`),
    not: RUNS_SCRIPTS_AFTER_ALL,
    plain: ["-s", "--silent", "--if-present", "--loglevel=warn", "--no-audit", "--ignore-scripts", "--omit=dev", "-D"],
    asks: [
      "--registry=http://evil/",
      "--registry",
      "-reg",
      "--@a:registry=x",
      "--ignore-scripts=false",
      "--no-ignore-scripts",
      "--script-shell=x",
      "--prefix",
      "-C",
      "-w",
      "--workspace=a",
      "--workspaces",
      "-ws",
      "-iwr",
      "-g",
      "--global",
      "--userconfig=x",
      "--proxy=x",
      "--no-package-lock",
      "--node-options=x"
    ]
  },
  pip: {
    short: "vqhoule",
    long: set(`format outdated uptodate editable user local verbose quiet help version no-color disable-pip-version-check
      not-required include-editable exclude-editable all exclude files pre no-index`),
    plain: ["--outdated", "-v", "--format=json", "-o"],
    asks: ["--log=x", "--index-url=x", "-i", "-f", "--proxy", "--python=x", "--path=x", "--cert"]
  },
  docker: {
    short: "aqnlfsth",
    long: set(`all quiet no-trunc latest last filter format size digests follow tail since until timestamps details no-stream
      human help no-color no-log-prefix services status`),
    plain: ["-a", "--no-trunc", "--format=json", "-n5", "--tail=5"],
    asks: [
      "-H",
      "--host=x",
      "--config=x",
      "-c",
      "--context=x",
      "--tlscacert=x",
      "--project-directory=x",
      "--env-file=x"
    ]
  },
  kubectl: {
    short: "nAolwhLcp",
    long: set(`namespace all-namespaces output selector watch show-labels label-columns container previous tail since since-time
      timestamps all-containers no-headers sort-by field-selector help limit-bytes prefix chunk-size ignore-not-found
      show-kind client recursive api-group namespaced verbs containers sum`),
    also: /^-o(?:wide|yaml|json|name)$/,
    // To its other commands it names a file.
    of: { logs: /^(?:-f|--follow)(?:=true)?$/ },
    plain: ["-owide", "-oyaml", "-A", "-n", "-o", "--tail=5", "--no-headers"],
    asks: [
      "-f",
      "--filename=x",
      "--kubeconfig=x",
      "-s",
      "--server=x",
      "--raw=x",
      "--token=x",
      "--as=x",
      "--context=x",
      "--output-directory=x"
    ]
  },
  gh: {
    short: "LsSaAlqBHcdjbueh",
    long: set(`limit state search label assignee author base head comments draft json jq template log log-failed job attempt
      exit-status verbose required interval watch name-only patch color branch user event workflow status commit created all
      sort order key active help`),
    plain: ["-L", "--limit=5", "--json=x", "-s", "--log"],
    asks: ["-R", "--repo=x", "-w", "--web", "-t", "--show-token", "--hostname=x"]
  }
}

const SAME: Readonly<Record<string, string>> = { podman: "docker", nerdctl: "docker", oc: "kubectl", pip3: "pip" }

export { BEHIND }

const passes = (word: string, next: string | undefined, { also, long, not, short }: Allowed): boolean => {
  if (also?.test(word) === true || also?.test(`${word} ${next ?? ""}`) === true) return true
  if (not?.test(word) === true || not?.test(`${word} ${next ?? ""}`) === true) return false
  const name = /^--?([A-Za-z][\w-]*)(?:=|$)/s.exec(word)?.[1] ?? ""
  if (long.has(name) && (word.startsWith("--") || name.length > 1)) return true
  if (word.startsWith("--")) return false
  return (
    /^-[A-Za-z]+(?:=?\d+)?$/.test(word) &&
    [...word.slice(1).replace(/=?(?<!\d)\d+$/, "")].every((one) => short.includes(one))
  )
}

/** The words that are not on this list. */
export const refusedBy = (allowed: Allowed, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const of = Object.hasOwn(allowed.of ?? {}, words[0] ?? "") ? allowed.of![words[0]!] : undefined
  return words.filter(
    (word, at) =>
      (allowed.files === true && word.startsWith("@")) ||
      (/^-./.test(word) && of?.test(word) !== true && !passes(word, words[at + 1], allowed))
  )
}

/** What a program of this name may be given; undefined: it has no list. */
export const allowedFor = (name: string): Allowed | undefined => {
  const known = Object.hasOwn(SAME, name) ? SAME[name]! : name
  return Object.hasOwn(ALLOWED, known) ? ALLOWED[known] : undefined
}
