/** Bash is the judge of what is bash: a line that `bash -n` refuses is never understood here (SECURITY P2, R167). */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const bashRefuses = (line: string): boolean =>
  spawnSync("bash", ["-n"], { input: line, env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" } }).status !== 0

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
    fc.assert(
      fc.property(line, (text) => {
        fc.pre(!asks(text))
        assert.isFalse(bashRefuses(text), JSON.stringify(text))
      }),
      { numRuns: 200, maxSkipsPerRun: 1_000 }
    )
  }, 90_000)

  it.each([
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
  ])("%j is doubted", (text) => {
    assert.isTrue(bashRefuses(text))
    assert.isTrue(asks(text))
  })
})
