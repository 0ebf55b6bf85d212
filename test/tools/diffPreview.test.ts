/** A change is shown under the file's own name, in whatever script it is written (LESSONS 29, R162). */
import { assert, it } from "@effect/vitest"
import { diffPreview } from "../../src/tools/builtin/diffPreview.ts"

const headOf = (path: string, before?: string): ReadonlyArray<string> => {
  const preview = diffPreview(path, before, "one\ntwo\n")
  return preview.kind === "diff" ? preview.diff.split("\n").slice(0, 3) : []
}

it("a diff names its file as it is called; a name that would break a line or hides something is quoted", () => {
  const rows = [
    ["src/新文件.txt", "+++ src/新文件.txt"],
    ["naïve & $1 $&.md", "+++ naïve & $1 $&.md"],
    ["a b.txt", "+++ a b.txt"],
    ["two\nlines", '+++ "two\\nlines"'],
    ["back\u202egpj.exe", '+++ "back\\342\\200\\256gpj.exe"'],
    ['quo"te', '+++ "quo\\"te"']
  ] as const
  assert.deepStrictEqual(
    rows.map(([path]) => [path, ...headOf(path)]),
    rows.map(([path, named]) => [path, "--- /dev/null", named, "@@ -0,0 +1,2 @@"])
  )
  assert.deepStrictEqual(headOf("文.txt", "--- x\n+++ y\n").slice(0, 2), ["--- 文.txt", "+++ 文.txt"])
})
