/** A checker's settings count wherever they lie below, for a branch may bring them along (P12, T3). */
import { assert, describe, it } from "@effect/vitest"
import { countedIn, type Files, inWorkspace } from "../support/contentFiles.ts"

const FILES: Files = { "src/a.js": "1\n", "docs/a.md": "1\n" }

describe("settings in directories below", () => {
  it.each([
    ["eslint .", ["docs/eslint.config.mjs", "src/.eslintrc.js", "src/package.json"]],
    ["prettier --check .", ["docs/.prettierrc", "docs/.prettierrc.mjs", "src/prettier.config.ts", "docs/package.json"]],
    ["stylelint src", ["src/.stylelintrc.json", "src/stylelint.config.mjs"]],
    ["jest", ["src/.babelrc.js", ".swcrc"]],
    ["vitest run", ["docs/vitest.config.ts", "postcss.config.js"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<string>]>)("%s", (line, changed) => {
    inWorkspace(FILES, (workspace) => {
      assert.deepStrictEqual(countedIn(workspace, line, FILES, [...changed, "docs/b.md"]), changed)
    })
  })
})
