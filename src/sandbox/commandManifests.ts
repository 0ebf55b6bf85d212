/**
 * The files by which programs know what to run, as data (SECURITY P12, T3). Owns: their names, in the working directory,
 * and which options name further ones. Does not own: what those files pull in (commandSources), the digest
 * (commandContent). Pure. Invariant: a name counts whether the file is there or not, since one that appears is a change.
 */
import type { Language } from "./commandSources.ts"

export interface Manifest {
  readonly files: ReadonlyArray<string>
  /** Options whose value is such a file; attached, behind `=` or apart. */
  readonly option?: RegExp
  /** Its plain words are such files. */
  readonly words?: RegExp
  /** How the files pull in others, where their names do not tell. */
  readonly language?: Language
  /** What belongs to it holds manifests of its own. */
  readonly members?: "npm" | "cargo"
  /** Of its commands, those that also follow these. */
  readonly locked?: { readonly commands: ReadonlySet<string>; readonly files: ReadonlyArray<string> }
}

const list = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
const set = (text: string): ReadonlySet<string> => new Set(list(text))

/** `eslint.config.js` and its kin. */
const config = (base: string): ReadonlyArray<string> =>
  ["js", "mjs", "cjs", "ts", "mts", "cts"].map((ending) => `${base}.${ending}`)
/** `.eslintrc` and its kin. */
const rc = (base: string): ReadonlyArray<string> => [
  base,
  ...["json", "yml", "yaml", "js", "cjs", "mjs"].map((ending) => `${base}.${ending}`)
]

const COMPOSE = ["compose", "docker-compose"].flatMap((base) =>
  [base, `${base}.override`].flatMap((name) => [`${name}.yml`, `${name}.yaml`])
)
const INSTALLS = set("install i in add ci clean-install ic install-clean it install-test update up upgrade rebuild rb")
const PYTHON = list("pyproject.toml setup.cfg tox.ini")
const GRADLE = list(`build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew
  gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar gradle/libs.versions.toml`)
const MAVEN = list(
  ".mvn/extensions.xml .mvn/jvm.config .mvn/maven.config .mvn/wrapper/maven-wrapper.properties pom.xml mvnw"
)
const CONTAINERS: Manifest = { files: [...COMPOSE, ".env"], option: /^(?:-f|--file)$/ }
const CLUSTER: Manifest = { files: [], option: /^(?:-f|--filename|-k|--kustomize)$/ }
const BAZEL = list("WORKSPACE WORKSPACE.bazel MODULE.bazel BUILD BUILD.bazel .bazelrc .bazelversion")
const TEXT_PROGRAM: Manifest = { files: [], option: /^(?:-f|-E|--file|--exec|-[a-zA-Z]*f)$/ }

/** Whatever the program is: where its manifest lies, or another one in its place. */
export const POINTS =
  /^(?:-C|--directory|--prefix|--cwd|--dir|--root|--rootDir|--project|--project-directory|--manifest-path|--config|-c|-p|-w|--workspace|--filter|-F)$/

export const MANIFESTS: Readonly<Record<string, Manifest>> = {
  npm: {
    files: ["package.json", ".npmrc"],
    members: "npm",
    locked: { commands: INSTALLS, files: ["package-lock.json", "npm-shrinkwrap.json"] }
  },
  pnpm: {
    files: ["package.json", ".npmrc", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
    members: "npm",
    locked: { commands: INSTALLS, files: ["pnpm-lock.yaml"] }
  },
  yarn: {
    files: ["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs"],
    members: "npm",
    locked: { commands: INSTALLS, files: ["yarn.lock"] }
  },
  bun: {
    files: ["package.json", "bunfig.toml", ".npmrc"],
    members: "npm",
    locked: { commands: INSTALLS, files: ["bun.lock", "bun.lockb"] }
  },
  npx: { files: ["package.json", ".npmrc"] },
  node: { files: ["package.json"] },
  tsx: { files: ["package.json", "tsconfig.json"] },
  deno: { files: ["deno.json", "deno.jsonc", "import_map.json", "deno.lock"] },
  eslint: { files: [...config("eslint.config"), ...rc(".eslintrc"), "package.json"] },
  jest: {
    files: [...config("jest.config"), "jest.config.json", ...config("babel.config"), ...rc(".babelrc"), "package.json"]
  },
  vitest: {
    files: [
      ...config("vitest.config"),
      ...config("vite.config"),
      ...config("vitest.workspace"),
      "vitest.workspace.json",
      "package.json"
    ]
  },
  vite: { files: [...config("vite.config"), "package.json"] },
  webpack: { files: [...config("webpack.config"), "package.json"] },
  rollup: { files: [...config("rollup.config"), "package.json"] },
  babel: { files: [...config("babel.config"), "babel.config.json", ...rc(".babelrc"), "package.json"] },
  mocha: { files: [...rc(".mocharc"), "package.json"] },
  nodemon: { files: ["nodemon.json", "package.json"] },
  playwright: { files: [...config("playwright.config"), "package.json"] },
  tsc: { files: ["tsconfig.json", "package.json"] },
  prettier: {
    files: [
      ...rc(".prettierrc"),
      ".prettierrc.json5",
      ".prettierrc.toml",
      ".prettierrc.ts",
      ...config("prettier.config"),
      ".editorconfig",
      "package.json"
    ]
  },
  make: { files: ["GNUmakefile", "makefile", "Makefile"], option: /^(?:-f|--file|--makefile)$/, language: "make" },
  just: { files: ["justfile", "Justfile", ".justfile"], option: /^(?:-f|--justfile)$/ },
  task: { files: list("Taskfile.yml Taskfile.yaml Taskfile.dist.yml"), option: /^(?:-t|--taskfile)$/ },
  cargo: {
    files: [...list("Cargo.toml .cargo/config.toml .cargo/config build.rs rust-toolchain rust-toolchain.toml")],
    members: "cargo",
    locked: { commands: set("fetch install"), files: ["Cargo.lock"] }
  },
  go: { files: ["go.mod", "go.work"] },
  pip: { files: ["pip.conf"], option: /^(?:-r|--requirement|-c|--constraint)$/ },
  uv: { files: ["pyproject.toml", "uv.toml", "uv.lock"] },
  poetry: { files: ["pyproject.toml", "poetry.toml", "poetry.lock"] },
  tox: { files: PYTHON },
  nox: { files: ["noxfile.py"], language: "py" },
  pytest: { files: ["conftest.py", "pytest.ini", ...PYTHON], language: "py" },
  bundle: { files: ["Gemfile", "Gemfile.lock", ".bundle/config"] },
  rake: {
    files: ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
    option: /^(?:-f|--rakefile)$/,
    language: "rb"
  },
  composer: { files: ["composer.json", "composer.lock"] },
  gradle: { files: GRADLE },
  gradlew: { files: GRADLE },
  mvn: { files: MAVEN },
  mvnw: { files: MAVEN },
  dotnet: { files: list("global.json nuget.config NuGet.Config Directory.Build.props Directory.Build.targets") },
  cmake: { files: ["CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json"] },
  meson: { files: ["meson.build", "meson_options.txt"] },
  ninja: { files: ["build.ninja"], option: /^-f$/ },
  scons: { files: ["SConstruct"], option: /^-f$/, language: "py" },
  bazel: { files: BAZEL },
  tilt: { files: ["Tiltfile"], option: /^(?:-f|--file)$/ },
  "pre-commit": { files: [".pre-commit-config.yaml"] },
  lefthook: { files: ["lefthook.yml", ".lefthook.yml", "lefthook-local.yml"] },
  direnv: { files: [".envrc"], language: "sh" },
  mise: { files: ["mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"] },
  foreman: { files: ["Procfile", ".env"], option: /^(?:-f|--procfile)$/ },
  overmind: { files: ["Procfile", ".env", ".overmind.env"], option: /^(?:-f|--procfile)$/ },
  docker: CONTAINERS,
  "docker-compose": CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  kubectl: CLUSTER,
  oc: CLUSTER,
  "ansible-playbook": { files: ["ansible.cfg"], words: /\.ya?ml$/ },
  hg: { files: [".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath"] },
  jj: { files: [".jj/repo/config.toml"] },
  enable: { files: [], option: /^-[a-z]*f$/ },
  hash: { files: [], option: /^-[a-z]*p$/ },
  vim: { files: [], option: /^-[Ssu]$/ },
  nvim: { files: [], option: /^-[Sslu]$/ },
  psql: { files: [], option: /^(?:-f|--file)$/ },
  sed: TEXT_PROGRAM,
  awk: TEXT_PROGRAM,
  gawk: TEXT_PROGRAM,
  mawk: TEXT_PROGRAM
}

export const manifestOf = (name: string): Manifest | undefined =>
  Object.hasOwn(MANIFESTS, name) ? MANIFESTS[name] : undefined
