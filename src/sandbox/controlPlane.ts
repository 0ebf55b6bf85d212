/**
 * Which files inside a workspace a tool may never write, and which must be asked about every time (SECURITY P11).
 * Owns: the two lists and how names are compared. Invariant: letter case, compatibility forms, ignorable characters
 * and trailing dots or blanks change nothing, whatever the file system would say.
 */
const CONTROL_DIRECTORIES = new Set([".git", "git~1", ".claw", "claw~1"])
/** A file named `.git` points a work tree at its repository; the rest are claw's own settings at a project's root. */
const CONTROL_FILES = new Set([".claw.json", ".clawrc", "claw.config.json"])

/** As they are spelled where they do not exist yet. */
export const CONTROL_NAMES: ReadonlyArray<string> = [".git", ".claw", ...CONTROL_FILES]

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Editors, build tools and agents read these whole: what is written there runs, or tells an agent what to do. */
const EXECUTING_DIRECTORIES = names(`
  .vscode .idea .devcontainer .husky .cargo .zed .fleet .nvim .vs .run .githooks .circleci .buildkite .claude .cursor
  .windsurf .codex .gemini .continue .roo .kiro .agents .clinerules .direnv .mise .yarn .mvn .gradle .bundle .pre-commit`)

/** What lies in them runs by its place; they themselves may be made and removed. */
const INSTALLED_DIRECTORIES = names("node_modules __pycache__ .venv venv site-packages dist-packages")

const EXECUTING_FILES = names(`
  .mcp.json mcp.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs pnpm-workspace.yaml package.json
  bunfig.toml deno.json deno.jsonc binding.gyp lerna.json nx.json turbo.json rush.json project.json tsconfig.json
  composer.json pyproject.toml setup.py setup.cfg conftest.py pytest.ini .pytest.ini tox.ini noxfile.py tasks.py
  .pylintrc pylintrc mypy.ini .mypy.ini .flake8 .coveragerc pipfile environment.yml sitecustomize.py usercustomize.py
  gemfile rakefile guardfile capfile fastfile podfile brewfile vagrantfile procfile .rspec .irbrc .pryrc config.ru
  makefile gnumakefile justfile .justfile taskfile.yml taskfile.yaml cmakelists.txt cmakepresets.json meson.build
  configure configure.ac workspace.bazel build.bazel module.bazel .bazelrc build.rs cargo.toml rust-toolchain
  rust-toolchain.toml go.work build.zig mix.exs package.swift build.sbt build.xml pom.xml mvnw gradlew gradle.properties
  build.gradle build.gradle.kts settings.gradle settings.gradle.kts flake.nix shell.nix default.nix dockerfile
  containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml jenkinsfile .gitlab-ci.yml .travis.yml
  .drone.yml azure-pipelines.yml bitbucket-pipelines.yml cloudbuild.yaml .pre-commit-config.yaml lefthook.yml
  .lefthook.yml .overcommit.yml .envrc .env .tool-versions mise.toml .mise.toml .asdfrc .gitattributes .gitmodules
  .gitconfig .lfsconfig .devcontainer.json .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv
  .zprofile .zlogin .kshrc .cshrc .tcshrc .vimrc .exrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .gdbinit
  .lldbinit .inputrc .tmux.conf .screenrc .curlrc .wgetrc .netrc .psqlrc .sqliterc .ackrc .ripgreprc .babelrc .swcrc
  .nycrc .watchmanconfig`)

/** Agents take what they say for their user's word. */
const INSTRUCTING_FILES = names(`
  claude.md claude.local.md agents.md agents.override.md agent.md gemini.md skill.md copilot-instructions.md .cursorrules
  .windsurfrules .clinerules .roomodes .goosehints .aider.conf.yml`)

/** Families of names: a tool's configuration that is itself a program, or that names plugins. */
const EXECUTING_NAMES: ReadonlyArray<RegExp> = [
  /\.(?:config|conf|workspace|setup)\.[cm]?[jt]sx?$/,
  /^\.(?:eslint|prettier|stylelint|mocha|lintstaged|husky|commitlint|release|postcss|babel|jest|nyc)rc(?:\..+)?$/,
  /^(?:gulpfile|gruntfile|jakefile|dangerfile|webpackfile)(?:\..+)?$/,
  /^tsconfig\..+\.json$/,
  /^dockerfile\./,
  /\.(?:pth|mk|cmake|gemspec|csproj|fsproj|vbproj|props|targets|code-workspace|sublime-project)$/
]

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

const fold = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(IGNORABLE, "")
    .toLowerCase()
    .replace(/::?\$.*$/, "")
    .replace(/[. ]+$/, "")

export type Guard =
  | { readonly kind: "free" }
  | { readonly kind: "alwaysAsk"; readonly why: string }
  | { readonly kind: "forbidden"; readonly why: string }

const FREE: Guard = { kind: "free" }

const isExecuting = (name: string): boolean =>
  EXECUTING_FILES.has(name) || EXECUTING_NAMES.some((family) => family.test(name))

/** Judges a path relative to the workspace root, with `/`. */
export const guardOf = (relative: string): Guard => {
  const parts = relative.split("/").map(fold)
  const last = parts.at(-1) ?? ""
  if (parts.some((name) => CONTROL_DIRECTORIES.has(name))) {
    return { kind: "forbidden", why: "belongs to the control plane (.git, .claw), which tools never write" }
  }
  if (CONTROL_FILES.has(last)) return { kind: "forbidden", why: "is claw's own configuration, which tools never write" }
  const above = parts.slice(0, -1)
  const directory = above.some((name) => EXECUTING_DIRECTORIES.has(name) || INSTALLED_DIRECTORIES.has(name))
  const github =
    parts[0] === ".github" && /^(?:workflows|actions|instructions|prompts|agents|chatmodes)$/.test(parts[1] ?? "")
  if (directory || github || EXECUTING_DIRECTORIES.has(last) || isExecuting(last)) {
    return { kind: "alwaysAsk", why: "can make other programs run code" }
  }
  if (INSTRUCTING_FILES.has(last)) return { kind: "alwaysAsk", why: "tells agents what to do" }
  return FREE
}
