/** Bash is the judge of what is bash: a line that `bash -n` refuses is never understood here (SECURITY P2, R167). */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

/** One bash hands the lines to others: what costs is to start one from here. */
const EACH = `while IFS= read -r -d '' line; do printf '%s' "$line" | bash -n 2>/dev/null; echo "\${PIPESTATUS[1]}"; done`

/** The lines that bash refuses. */
const refusedOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" }
  const { stdout } = spawnSync("bash", ["-c", EACH], { input: lines.map((line) => `${line}\0`).join(""), env })
  const codes = stdout.toString().trim().split("\n")
  assert.strictEqual(codes.length, lines.length)
  return lines.filter((_, at) => codes[at] !== "0")
}

const asks = (line: string): boolean => {
  const { commands, doubts, refused } = analyse(line, { workspace: "/nowhere/ws", home: "/home/someone" })
  return refused !== undefined || doubts.length > 0 || commands.some(({ notPlain }) => notPlain.length > 0)
}

const PIECES = [
  "ls",
  "echo",
  "a",
  "'b c'",
  '"d"',
  '"$x"',
  "$(",
  ")",
  "`",
  "'",
  '"',
  "(",
  "{",
  "}",
  ";",
  ";;",
  "&",
  "&&",
  "|",
  "||",
  "|&",
  "!",
  ">",
  ">>",
  "<",
  "<<<",
  "<<EOF",
  "EOF",
  "\n",
  "2>&1",
  ">&-",
  "3<&-",
  "<& -",
  "if",
  "then",
  "fi",
  "for",
  "in",
  "do",
  "done",
  "while",
  "case",
  "esac",
  "*",
  "?",
  "[",
  "]",
  "[[",
  "]]",
  "((",
  "))",
  "${x",
  "$((",
  "x=1",
  "x=(",
  "f()",
  "function",
  "coproc",
  "time",
  "#",
  "\\",
  "\\\n",
  "~",
  "=",
  "{a,b}",
  "$'\\x41'",
  "<(",
  "!(a)",
  "&>",
  ">|",
  "select",
  "until",
  "elif",
  "else"
]

const line = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
  .chain((pieces) => fc.constantFrom(" ", "").map((between) => pieces.join(between)))

describe("analyse and bash -n", () => {
  it("what bash refuses is doubted", () => {
    const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
    const lines = fc.sample(line, { numRuns: 6_000, seed }).filter((text) => !asks(text))
    assert.isAbove(lines.length, 200)
    assert.deepStrictEqual(refusedOf(lines.slice(0, 400)), [], `seed ${seed}`)
  }, 90_000)

  const refused = [
    "! && ls",
    "if",
    "if true; then",
    "for x",
    "case x",
    "echo $(",
    "echo `x",
    "echo 'x",
    'echo "x',
    "(",
    "{ ls",
    ")",
    "ls )",
    "ls &&",
    "ls |",
    "| ls",
    "ls ;; ls",
    "<<",
    "cat <",
    "fi",
    "done",
    "f() ",
    "[[ a",
    "(( 1",
    "${",
    "x=(1",
    "echo <(",
    "while true; do",
    "ls & & ls",
    "ls; ; ls",
    "!(",
    "a b ( c",
    "<<< 3<&- ]] 'b c'",
    "cat <<< 12>&1",
    "cat <<-3<x",
    "cat > {a}<x ls",
    "cat <<<3<a"
  ]

  it("what is known to be refused is doubted", () => {
    assert.deepStrictEqual(refusedOf(refused), refused)
    assert.deepStrictEqual(
      refused.filter((text) => !asks(text)),
      []
    )
  })
})
