/** Words that a runner hands to a script of the manifest: judged by the program that gets them (P8, R154). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const SCRIPTS = {
  test: "node --test",
  start: "node",
  server: "node server.js",
  unit: "tsc --noEmit && vitest run",
  lint: "eslint .",
  format: "prettier --check .",
  build: "tsc -p tsconfig.json",
  mocha: "c8 mocha",
  py: "python -m pytest -q",
  custom: "./tools/run",
  shell: "sh",
  quoted: "echo 'a' \"$X\""
}

const judged = (command: string) => {
  const workspace = makeWorkspace()
  try {
    writeFileSync(join(workspace.path, "package.json"), JSON.stringify({ scripts: SCRIPTS }))
    const words = command.split(" ")
    const grants = [1, 2, 3].map((count) => makeGrant(workspace.path, "prefix", words.slice(0, count)))
    return judgeBash({ command, workspace: workspace.path, grants })
  } finally {
    workspace.remove()
  }
}

describe("words for a script", () => {
  it.each([
    "npm test -- -r ./evil.js",
    "npm test -- evil.mjs",
    "npm test evil.mjs",
    "npm test -- evil",
    "npm test -- src/a.js test/a.test.js",
    "npm test -- test/../evil.mjs",
    "npm test -- 'test/{../evil,x}.mjs'",
    "npm test -- '**/*.mjs'",
    "npm test -- attest/x.js",
    "npm test -- --test-only evil.mjs",
    "npm run mocha -- evil.js",
    "npm run py -- evil.py::test_x",
    "yarn test evil.mjs",
    "pnpm test -- evil.mjs",
    "npm test -- --test-reporter=./evil.js",
    "npm test -- --experimental-loader=./evil.mjs",
    "npm test -- --inspect-brk=0.0.0.0:1",
    "npm start -- -e x",
    "npm start -- evil.js",
    "npm start evil.js",
    "npm run server -- --config=x",
    "npm run unit -- -c evil.ts",
    "npm run lint -- -c evil.js",
    "npm run lint -- -f ./evil.js",
    "npm run lint -- --rulesdir evil",
    "npm run format -- -w .",
    "npm run build -- -p evil.json",
    "npm run custom -- -x",
    "npm run custom -- --reporter=./evil.js",
    "npm run shell evil.sh",
    "npm run quoted -- -x",
    "npm run absent -- -x",
    "yarn test -r ./evil.js",
    "yarn test -e x",
    "yarn run lint --rulesdir evil",
    "yarn lint -c evil.js",
    "pnpm test -e x",
    "pnpm run test -r ./evil.js",
    "pnpm test -- -e x"
  ])("%s asks", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "ask", reason)
  })

  it.each([
    "npm test",
    "npm test -- test/a.test.js",
    "npm test -- src/a.test.js src/b-test.mjs src/test.js src/test-c.js",
    "npm test test/a.js",
    "npm test -- '**/*.test.js'",
    "npm test -- --test-name-pattern adds",
    "npm run mocha -- test/a.js --grep adds",
    "npm run unit -- src/a",
    "npm test -- --test-name-pattern=x",
    "npm run unit -- -t name --bail=1 test/a.test.ts",
    "npm run lint -- --quiet src",
    "npm run format -- src",
    "npm run custom -- fast --verbose",
    "npm run server -- 8080",
    "yarn test test/a.test.js",
    "yarn unit -t name",
    "yarn lint --quiet",
    "pnpm run unit --bail=1",
    "pnpm run unit -- --bail=1"
  ])("%s is covered", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "allow", reason)
  })
})
