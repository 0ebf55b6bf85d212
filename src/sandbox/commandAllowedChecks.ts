/**
 * What checkers of Python code may be given without a question (SECURITY P8), as data. Owns: those rows, and which calls of
 * them only check. Does not own: how rows are read (commandAllowed), what their settings load (commandManifests). Pure.
 */
import type { Allowed } from "./commandAllowed.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

export const CHECKERS: Readonly<Record<string, Allowed>> = {
  ruff: {
    short: "qsvhn",
    long: set(`quiet silent verbose help version select ignore extend-select extend-ignore per-file-ignores exclude
      extend-exclude target-version line-length statistics show-files show-settings exit-zero exit-non-zero-on-fix no-fix
      no-cache preview no-preview output-format check diff respect-gitignore force-exclude isolated`),
    files: true,
    plain: ["--select=E", "--statistics", "-q", "--diff", "--check"],
    asks: [
      "--fix",
      "--unsafe-fixes",
      "--config=x",
      "-o",
      "--output-file=x",
      "--cache-dir=x",
      "@args",
      "--add-noqa",
      "-w"
    ]
  },
  mypy: {
    short: "vhpm",
    long: set(`strict verbose help version package module pretty no-pretty show-error-codes hide-error-codes
      show-error-context show-column-numbers ignore-missing-imports follow-imports no-incremental namespace-packages
      explicit-package-bases disallow-untyped-defs check-untyped-defs warn-unused-ignores warn-return-any no-error-summary
      python-version platform exclude disable-error-code enable-error-code no-color-output`),
    files: true,
    plain: ["--strict", "-v", "--pretty", "--python-version=3.12"],
    asks: [
      "--config-file=x",
      "--python-executable=x",
      "--install-types",
      "--non-interactive",
      "--custom-typeshed-dir=x",
      "--html-report=x",
      "--junit-xml=x",
      "--cache-dir=x",
      "-c",
      "@args"
    ]
  },
  black: {
    short: "lqvhtSC",
    long: set(`check diff color no-color line-length quiet verbose help version target-version skip-string-normalization
      skip-magic-trailing-comma fast safe exclude extend-exclude force-exclude include workers preview`),
    files: true,
    plain: ["--check", "--diff", "-q", "-l88"],
    asks: ["--config=x", "-c", "--stdin-filename=x", "--custom-cache-key=x", "@args"]
  }
}

/** Why its first words are not granted: without a word to say so it writes what it finds. */
export const writesUnlessTold = (name: string, args: ReadonlyArray<string>): string | undefined => {
  const checks = args.some((word) => /^--(?:check|diff)$/.test(word))
  const writes = (name === "black" || (name === "ruff" && args[0] !== "check")) && !checks
  const looks = args.length > 0 && args.every((word) => /^(?:-[hV]|--help|--version|version|help)$/.test(word))
  return writes && !looks ? `${name} changes the files that it finds` : undefined
}
