/** What tools never write, and what asks every time (SECURITY P11, LESSONS 26). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { guardOf } from "../../src/sandbox/controlPlane.ts"
import { NAME_KINDS } from "../../src/sandbox/executingNames.ts"
import { dir, workspaceOf } from "../support/workspaceDir.ts"

const FORBIDDEN = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".git",
  "sub/.git/config",
  ".GIT/config",
  ".Git./hooks/x",
  ".git /config",
  ".claw/grants.json",
  ".CLAW/settings.json",
  ".ｃlaw/settings.json",
  "deep/.claw/x",
  ".claw",
  "GIT~1/config",
  ".hg/hgrc",
  "sub/.HG/hgrc-not-shared",
  ".hg/sharedpath",
  ".jj/repo/config.toml",
  ".bzr/branch/branch.conf"
]
const ASKED = [
  ".vscode/settings.json",
  ".idea/workspace.xml",
  ".mcp.json",
  ".npmrc",
  "package.json",
  "packages/a/package.json",
  ".VSCode/tasks.json",
  "Makefile",
  ".github/workflows/ci.yml",
  ".envrc",
  ".husky/pre-commit",
  ...`.claude/settings.json .claude/commands/x.md CLAUDE.md sub/AGENTS.md Agents.md .cursorrules .cursor/rules/x.mdc
    GEMINI.md .github/copilot-instructions.md .github/instructions/x.md .github/actions/x/action.yml node_modules/.bin/x
    node_modules/a/index.js packages/a/node_modules/b/x.js .venv/bin/python binding.gyp conftest.py tests/conftest.py
    tox.ini pytest.ini noxfile.py .eslintrc.js .eslintrc eslint.config.mjs vite.config.ts vitest.config.mts
    vitest.workspace.ts jest.config.js karma.conf.js .prettierrc.cjs .mocharc.yml .tool-versions .mise.toml .direnv/x .env
    tsconfig.json tsconfig.build.json Dockerfile docker-compose.yml flake.nix gulpfile.js x.mk CMakeLists.txt a.csproj
    lib/x.pth ruff.toml biome.json turbo.json spec/spec_helper.rb tests/Pest.php Chart.yaml .golangci.yml package.yaml
    ops/Earthfile gulpfile.ts wscript SConstruct`.split(/\s+/)
]
const FREE = [
  ".gitignore",
  "src/index.ts",
  "git/config",
  "claw/x",
  ".github/README.md",
  "docs/package.json.md",
  ...`src/config.ts src/config/index.ts docs/agents/readme.md src/agents.ts README.md src/claude.ts env.ts .env.example
    src/build.ts docs/workspace.md src/docker.ts test/setup.ts node_modules build workspace
    src/build/x.ts __pycache__ .editorconfig values.yaml src/codegen.ts conf.py spec_helper.rb`.split(/\s+/)
]

it.effect("the control plane is forbidden in every spelling, also when it does not exist (P032, P034, P036)", () =>
  Effect.gen(function* () {
    const there = yield* dir
    const workspace = yield* workspaceOf(there)
    for (const path of FORBIDDEN) {
      assert.strictEqual((yield* workspace.locate(path)).guard.kind, "forbidden", path)
      assert.strictEqual((yield* Effect.flip(workspace.write(path, Buffer.from("x")))).code, "workspace_escape", path)
      assert.isFalse(existsSync(join(there.ws, path)), path)
    }
  })
)

it.effect("a link inside does not hide the control plane", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/.git/config", "[core]")
    there.link("ws/innocent", ".git")
    const workspace = yield* workspaceOf(there)
    assert.strictEqual((yield* workspace.locate("innocent/config")).guard.kind, "forbidden")
  })
)

it.effect("files that make other programs run code ask every time, ordinary ones do not (P038, P040, P052)", () =>
  Effect.gen(function* () {
    const workspace = yield* workspaceOf(yield* dir)
    const kinds = (paths: ReadonlyArray<string>) =>
      Effect.forEach(paths, (path) => Effect.map(workspace.locate(path), ({ guard }) => `${path} ${guard.kind}`))
    assert.deepStrictEqual(
      yield* kinds(ASKED),
      ASKED.map((path) => `${path} alwaysAsk`)
    )
    assert.deepStrictEqual(
      yield* kinds(FREE),
      FREE.map((path) => `${path} free`)
    )
  })
)

it.effect("claw's own directories are neither read nor written, also inside the workspace", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/state/claw/token", "secret")
    const workspace = yield* workspaceOf(there, [join(there.ws, "state/claw")])
    for (const path of ["state/claw/token", "state/claw", "STATE/CLAW/token", "state/claw/new"]) {
      assert.strictEqual((yield* Effect.flip(workspace.read(path, 100))).code, "workspace_escape", path)
      assert.strictEqual((yield* Effect.flip(workspace.write(path, Buffer.from("x")))).code, "workspace_escape", path)
    }
    assert.strictEqual((yield* workspace.locate("state/clawx")).kind, "missing")
  })
)

it.each(NAME_KINDS)(
  "$kind: its examples are known by their names, and what only resembles them is free (P11)",
  (row) => {
    const found = (examples: string) => examples.split(/\s+/).map((path) => `${path} ${guardOf(path).kind}`)
    const expected = (examples: string, kind: string) => examples.split(/\s+/).map((path) => `${path} ${kind}`)
    assert.deepStrictEqual(found(row.yes), expected(row.yes, "alwaysAsk"))
    assert.deepStrictEqual(found(row.no), expected(row.no, "free"))
  }
)
