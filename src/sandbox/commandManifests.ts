/**
 * The files by which programs know what to run, as data (SECURITY P12, T3). Owns: their names, in the working directory
 * and below it, and which options name further ones. Does not own: what those files pull in (commandSources) or name
 * (commandConfigured), the tools of JavaScript packages (commandPackageTools), the digest (commandContent). Pure. Invariant: a name counts whether the file is there or not, since one that appears is a change.
 */
import { BUILDERS, OTHER_LANGUAGES } from "./commandBuildFiles.ts"
import { files, list, type Manifest, set } from "./commandManifest.ts"
import { PACKAGE_TOOLS } from "./commandPackageTools.ts"
import { SERVICES } from "./commandServiceFiles.ts"

const INSTALLS = set("install i in add ci clean-install ic install-clean it install-test update up upgrade rebuild rb")
const PYTHON = list("pyproject.toml setup.cfg tox.ini tox.toml")
const TEXT_PROGRAM: Manifest = { files: [], option: /^(?:-f|-E|--file|--exec|-[a-zA-Z]*f)$/ }

/** Whatever the program is: where its manifest lies, or another one in its place. */
export const POINTS =
  /^(?:-C|--directory|--prefix|--cwd|--dir|--root|--rootDir|--project|--project-directory|--manifest-path|--config|-c|-p|-w|--workspace|--filter|-F)$/

const PACKAGES: Readonly<Record<string, Manifest>> = {
  npm: {
    files: ["package.json", ".npmrc"],
    members: "npm",
    locked: { commands: INSTALLS, files: ["package-lock.json", "npm-shrinkwrap.json"] }
  },
  pnpm: {
    files: ["package.json", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml"],
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
  cargo: {
    files: [...list("Cargo.toml .cargo/config.toml .cargo/config build.rs rust-toolchain rust-toolchain.toml")],
    members: "cargo",
    locked: { commands: set("fetch install"), files: ["Cargo.lock"] }
  },
  go: { files: ["go.mod", "go.work"], unnamed: set("generate") },
  bundle: files("Gemfile Gemfile.lock .bundle/config"),
  composer: files("composer.json composer.lock"),
  pod: files("Podfile Podfile.lock"),
  swift: files("Package.swift Package.resolved"),
  dotnet: {
    files: list("global.json nuget.config NuGet.Config Directory.Build.props Directory.Build.targets"),
    below: /\.(?:(?:cs|fs|vb)proj|sln|props|targets)$|(?:^|\/)dotnet-tools\.json$/
  }
}

const PYTHON_TOOLS: Readonly<Record<string, Manifest>> = {
  pip: {
    files: ["pip.conf", "setup.py", "pyproject.toml", "setup.cfg"],
    option: /^(?:-r|--requirement|-c|--constraint)$/
  },
  uv: { files: ["pyproject.toml", "uv.toml", "uv.lock"], words: /\.py$/ },
  poetry: files("pyproject.toml poetry.toml poetry.lock"),
  pdm: files("pyproject.toml pdm.toml pdm.lock"),
  hatch: files("pyproject.toml hatch.toml hatch_build.py"),
  pipenv: files("Pipfile Pipfile.lock .env"),
  pixi: files("pixi.toml pyproject.toml pixi.lock"),
  tox: { files: [...PYTHON, "setup.py"], option: /^(?:-c|--conf)$/ },
  nox: { files: ["noxfile.py"], option: /^(?:-f|--noxfile)$/, language: "py" },
  pytest: {
    files: ["conftest.py", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", ...PYTHON],
    language: "py",
    below: /(?:^|\/)conftest\.py$/
  },
  invoke: files("tasks.py invoke.yaml invoke.yml"),
  inv: files("tasks.py invoke.yaml invoke.yml"),
  fab: files("fabfile.py fabric.yaml"),
  doit: { ...files("dodo.py pyproject.toml"), option: /^(?:-f|--file)$/ },
  mypy: files("mypy.ini .mypy.ini pyproject.toml setup.cfg"),
  pylint: files(".pylintrc pylintrc pylintrc.toml .pylintrc.toml pyproject.toml setup.cfg tox.ini"),
  flake8: files(".flake8 setup.cfg tox.ini"),
  ruff: files("ruff.toml .ruff.toml pyproject.toml"),
  coverage: files(".coveragerc pyproject.toml setup.cfg tox.ini"),
  "sphinx-build": files("conf.py docs/conf.py docs/source/conf.py"),
  mkdocs: files("mkdocs.yml mkdocs.yaml"),
  alembic: { files: ["alembic.ini"], below: /(?:^|\/)env\.py$/ },
  gunicorn: files("gunicorn.conf.py"),
  locust: files("locustfile.py locust.conf"),
  behave: { files: ["behave.ini", "setup.cfg"], below: /(?:^|\/)environment\.py$/ },
  snakemake: { files: ["Snakefile"], option: /^(?:-s|--snakefile)$/, below: /(?:^|\/)Snakefile$|\.smk$/ },
  scons: {
    files: ["SConstruct"],
    option: /^-f$/,
    language: "py",
    below: /(?:^|\/)SCons(?:truct|cript)$/
  },
  waf: { files: ["wscript"], below: /(?:^|\/)wscript(?:_build)?$/ }
}

export const MANIFESTS: Readonly<Record<string, Manifest>> = {
  ...PACKAGE_TOOLS,
  ...PACKAGES,
  ...PYTHON_TOOLS,
  ...OTHER_LANGUAGES,
  ...BUILDERS,
  ...SERVICES,
  hg: files(".hg/hgrc .hg/hgrc-not-shared .hg/sharedpath"),
  jj: files(".jj/repo/config.toml"),
  enable: { files: [], option: /^-[a-z]*f$/ },
  hash: { files: [], option: /^-[a-z]*p$/ },
  emacs: { files: [], option: /^(?:-l|--load|--script|-scriptload|-x)$/ },
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
