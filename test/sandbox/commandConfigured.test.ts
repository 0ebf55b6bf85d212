/** What build files and settings name or find by a name below counts for a grant; what is worked on does not (P7, P12, T3). */
import { assert, describe, it } from "@effect/vitest"
import { makePaths } from "../../src/sandbox/commandPaths.ts"
import { filesBelow } from "../../src/sandbox/commandSpread.ts"
import { judgeBash } from "../support/approvalCorpus.ts"
import { counted, type Files, inWorkspace, unsettled } from "../support/contentFiles.ts"

type Row = readonly [line: string, files: Files, counts: string, not?: string]

const rows: ReadonlyArray<Row> = [
  [
    "docker compose up",
    { "compose.yml": "services:\n  web:\n    build: ./web\n    env_file: [prod.env]\n" },
    "compose.yml web/Dockerfile prod.env",
    "web/main.go"
  ],
  [
    "docker compose up",
    { "compose.yml": "include:\n  - path: ops/db.yml\nservices: { a: { extends: { file: base.yml } } }\n" },
    "base.yml"
  ],
  ["docker build .", {}, "Dockerfile", "src/a.go"],
  ["docker compose -f ops/all.yml up", { "ops/all.yml": "services: {}\n" }, "ops/all.yml"],
  [
    "kubectl apply -k ops",
    { "ops/kustomization.yaml": "resources: [a.yaml]\n", "ops/a.yaml": "a: 1\n" },
    "ops/kustomization.yaml ops/a.yaml"
  ],
  [
    "gradle build",
    {
      "build.gradle": 'apply from: "$rootDir/gradle/x.gradle"\ntask a { exec { commandLine "sh", "tools/gen.sh" } }\n'
    },
    "gradle/x.gradle tools/gen.sh app/build.gradle.kts buildSrc/src/main/java/P.java",
    "src/main/java/A.java"
  ],
  ["./gradlew test", { gradlew: "#!/bin/sh\n" }, "gradlew settings.gradle lib/build.gradle"],
  [
    "mvn test",
    { "pom.xml": "<project><modules><module>app</module></modules><executable>./tools/x.sh</executable></project>" },
    "app/pom.xml .mvn/extensions.xml tools/x.sh",
    "src/A.java"
  ],
  [
    "cmake --build build",
    {
      "CMakeLists.txt":
        "include(cmake/a.cmake)\nadd_subdirectory(lib)\nexecute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/v.sh)\n"
    },
    "cmake/a.cmake lib/CMakeLists.txt tools/v.sh build/Makefile",
    "lib/a.c"
  ],
  [
    "cargo build",
    {
      "Cargo.toml": '[package]\nbuild = "tools/gen.rs"\n',
      ".cargo/config.toml":
        '[target.x]\nrunner = "./run.sh"\nlinker = "tools/ld"\n[build]\nrustc-wrapper = "wrap.sh"\n',
      "build.rs": "mod helper;\n"
    },
    "tools/gen.rs run.sh tools/ld wrap.sh helper.rs",
    "src/main.rs"
  ],
  [
    "cargo test",
    { "Cargo.toml": '[workspace]\nmembers = ["a"]\n', "a/Cargo.toml": '[package]\nbuild = "gen.rs"\n' },
    "a/gen.rs"
  ],
  ["npm test", { ".npmrc": "script-shell=./evil.sh\n" }, "evil.sh"],
  [
    "npm test",
    { "package.json": '{"scripts":{"test":"jest"},"jest":{"setupFiles":["./test/setup.js"]},"main":"src/index.js"}' },
    "test/setup.js jest.config.ts",
    "src/index.js"
  ],
  ["yarn test", { ".yarnrc.yml": "yarnPath: tools/yarn.cjs\n" }, "tools/yarn.cjs"],
  ["yarn test", { ".yarnrc": 'yarn-path "./tools/yarn.js"\n' }, "tools/yarn.js"],
  ["pnpm test", {}, ".pnpmfile.cjs pnpm-workspace.yaml"],
  [
    "just build",
    { justfile: "import 'ops/more.just'\nmod x\ndist:\n  ./scripts/dist.sh\n" },
    "ops/more.just x.just scripts/dist.sh .env"
  ],
  [
    "task build",
    {
      "Taskfile.yml":
        "includes:\n  docs: ./docs\n  a: { taskfile: ops/a.yml }\ntasks:\n  dist:\n    cmds: ['{{.DIR}}/x.sh']\n"
    },
    "docs/Taskfile.yml ops/a.yml x.sh"
  ],
  ["make all", { Makefile: "all:\n\t$(MAKE) -C lib\n" }, "lib/Makefile rules.mk", "lib/a.c"],
  ["eslint .", { ".eslintrc.yml": "extends: ./base.yml\n" }, "base.yml src/.eslintrc.json"],
  ["eslint .", { ".eslintrc.json": '{"plugins":["./rules/own.js"]}' }, "rules/own.js"],
  [
    "vitest run",
    { "vitest.config.ts": 'export default { test: { setupFiles: ["./test/setup.ts"], include: ["a.test.ts"] } }\n' },
    "test/setup.ts",
    "a.test.ts"
  ],
  ["jest", { "jest.config.json": '{"globalSetup":"<rootDir>/global.js","testMatch":["x.js"]}' }, "global.js", "x.js"],
  ["mocha", { ".mocharc.yml": "require:\n  - ./a.js\nspec: test/b.js\n" }, "a.js", "test/b.js"],
  [
    "tsc -b",
    { "tsconfig.json": '{"references":[{"path":"./a"}],"files":["src/x.ts"]}' },
    "a/tsconfig.json a/tsconfig.build.json",
    "src/x.ts"
  ],
  [
    "vite build",
    {
      "vite.config.ts":
        "export default { plugins: [load('./plug.mjs')], build: { rollupOptions: { input: { main: 'src/main.js' } } } }"
    },
    "plug.mjs",
    "src/main.js"
  ],
  [
    "pytest",
    { "pytest.ini": "[pytest]\naddopts = -p plug -q\n", "conftest.py": 'pytest_plugins = ["a.b"]\n' },
    "plug.py a/b.py tests/conftest.py",
    "tests/test_a.py"
  ],
  [
    "tox",
    { "tox.ini": "[testenv]\ncommands =\n  python tools/x.py\n  python -m pkg.run\n  sh {toxinidir}/y.sh\n" },
    "tools/x.py pkg/run.py y.sh"
  ],
  ["nox", { "noxfile.py": 'def a(session):\n  session.run("sh", "ops/a.sh")\n' }, "ops/a.sh"],
  ["mypy src", { "mypy.ini": "[mypy]\nplugins = own.plug\n" }, "own/plug.py", "src/a.py"],
  ["uv run x.py", {}, "pyproject.toml"],
  ["bazel build //...", { WORKSPACE: 'load("//tools:x.bzl", "x")\n' }, "tools/x.bzl a/b/BUILD", "a/b/x.cc"],
  ["terraform plan", {}, "main.tf modules/a/main.tf", "docs/a.md"],
  [
    "ansible-playbook site.yml",
    { "site.yml": "- hosts: all\n  roles: [web]\n" },
    "site.yml roles/web/tasks/main.yml library/mod.py"
  ],
  ["meson compile", {}, "src/meson.build"],
  ["rake", {}, "lib/tasks/a.rake"],
  ["sbt test", {}, "project/plugins.sbt project/Build.scala"],
  ["sqlite3 a.db '.read a.sql'", { "a.sql": "select 1;\n", "a.db": "" }, "a.sql"],
  ["gdb -ex 'source a.gdb' x", { "a.gdb": "run\n" }, "a.gdb"],
  ["bun run x.ts", { "x.ts": 'import "./y"\n' }, "x.ts y.ts"],
  ["cd sub && pytest", {}, "sub/conftest.py sub/tests/conftest.py conftest.py"]
]

describe("a change of what a build file names, or finds below, ends the grant", () => {
  it.each(rows.map(([line, files, counts, not = ""]) => [line, files, counts, not] as const))(
    "%s with %j",
    (line, files, counts, not) => {
      const wanted = counts.split(" ")
      assert.deepStrictEqual(
        counted(line, files, [...wanted, ...not.split(" ").filter(Boolean), "docs/README.md"]),
        wanted
      )
      assert.deepStrictEqual(unsettled(line, files), [])
    }
  )
})

describe("what nobody can name is allowed once only", () => {
  it.each([
    ["go generate ./...", {}],
    ["gradle build", { "build.gradle": 'exec { commandLine "tools/${name}.sh" }\n' }],
    ["just build", { justfile: "build:\n  sh tools/{{name}}.sh\n" }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j", (command, files) => {
    inWorkspace(files, (workspace) => {
      const { action, grant_options } = judgeBash({ command, workspace })
      assert.deepStrictEqual([action, grant_options], ["ask", []])
    })
  })
})

it("too much to be looked through has no answer; what builds put out is looked at last", () => {
  const look = (directory: string) =>
    inWorkspace({ [`${directory}/a/Makefile`]: "", [`${directory}/b`]: "" }, (workspace) => {
      // A workspace of the corpus has nine entries.
      const found = filesBelow(/Makefile$/, makePaths(workspace, "/home/someone"), 9)
      return [found.complete, found.files.map((path) => path.slice(workspace.length + 1))]
    })
  assert.deepStrictEqual(
    [look("target"), look("data")],
    [
      [true, []],
      [false, []]
    ]
  )
})
