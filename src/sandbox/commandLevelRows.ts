/**
 * The commands of programs that have some, as data (SECURITY P5, P8). Owns: the rows, each with lines that a grant of first
 * words covers and lines that it never does (`levels.test.ts` tries them all). Does not own: git's (commandGit), what
 * follows of a row (commandLevels). Pure. Invariant: what a row does not name is granted word for word.
 */
import { type Level, lines, set } from "./commandLevel.ts"
import { SERVICE_LEVELS } from "./commandServiceRows.ts"

/** A host, a path or a repository in the place of a package's name: they would ask whatever it names. */
const ELSEWHERE = /^(?!-)(?!(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=*-]+)?$)/

export const LEVELS: ReadonlyArray<Level> = [
  {
    programs: set("npm"),
    deep: set("run run-script rum urn"),
    looks: set(
      "ls list la ll outdated view info show v why explain audit root prefix fund query ping whoami doctor version"
    ),
    follows:
      set(`test t tst run run-script rum urn start stop restart install i in ins inst insta instal isnt isnta isntal
      isntall ci clean-install ic install-clean isntall-clean install-test it install-ci-test cit rebuild rb prune dedupe ddp`),
    installs: set(
      "install i in ins inst insta instal isnt isnta isntal isntall ci clean-install ic install-clean it install-test"
    ),
    // A package of its own brings up a browser with `fund`.
    more: {
      audit: /^fix$/,
      version: /^[^-]/,
      fund: /^[^-]/,
      view: ELSEWHERE,
      info: ELSEWHERE,
      show: ELSEWHERE,
      v: ELSEWHERE,
      outdated: ELSEWHERE
    },
    granted: lines(`npm test
      npm run build
      npm ci
      npm install
      npm install --omit dev
      npm i --loglevel warn
      npm ls --depth=0
      npm outdated
      npm view effect version
      npm view @effect/vitest@4.0.5 dist-tags.latest
      npm audit`),
    exactly: lines(`npm token create
      npm owner add evil
      npm view http://evil.example/x.tgz
      npm info git+ssh://evil.example/x
      npm show evil/x
      npm view file:../x
      npm fund x
      npm publish
      npm unpublish -f
      npm pkg set scripts.test=x
      npm version patch
      npm audit fix
      npm exec x
      npm x y
      npm config set registry=x
      npm install evil
      npm tok create
      npm cache clean
      npm --silent test`)
  },
  {
    programs: set("pnpm"),
    deep: set("run run-script"),
    looks: set("ls list la ll outdated why audit licenses root bin"),
    follows: set("test t tst start stop restart run run-script install i rebuild rb prune dedupe fetch"),
    installs: set("install i"),
    own: set(`add approve-builds audit bin c cache cat-file cat-index ci completion config create dedupe deploy dlx doctor env
      exec fetch find-hash get ignored-builds import init install-test it licenses link list ln ls outdated pack patch
      patch-commit patch-remove prune publish rb rebuild recursive remove rm root self-update server set setup store un
      uninstall unlink up update upgrade version view why x node npm npx login logout whoami owner token search tag
      dist-tag access adduser deprecate docs edit fund help home info issues ping pkg prefix profile repo star stars team
      unpublish unstar xmas`),
    granted: lines(`pnpm test
      pnpm run build
      pnpm install
      pnpm ls`),
    exactly: lines(`pnpm node -e 1
      pnpm vite
      pnpm dlx x
      pnpm exec x
      pnpm add x
      pnpm install --ignore-scripts=false
      pnpm install --ignore-scripts false
      pnpm install --registry=http://x
      pnpm test -r
      pnpm test --filter=x
      pnpm publish
      pnpm env use 1
      pnpm config set a b`)
  },
  {
    programs: set("yarn"),
    deep: set("run"),
    looks: set("list outdated why licenses info audit versions check"),
    follows: set("test run install"),
    installs: set("install"),
    own: set(`access add autoclean bin cache config constraints create dedupe dlx exec explain explore generate-lock-entry
      generateLockEntry global help import init licenses link login logout node npm owner pack patch patch-commit plugin
      policies prune publish rebuild remove search set stage tag team unlink unplug up upgrade upgrade-interactive
      version workspace workspaces`),
    granted: lines(`yarn test
      yarn run build
      yarn install
      yarn why lodash`),
    exactly: lines(`yarn vite
      yarn node -e 1
      yarn npm publish
      yarn dlx x
      yarn exec x
      yarn add x
      yarn install --registry http://x
      yarn --cwd x test
      yarn plugin import x
      yarn workspace a test
      yarn set version x
      yarn global add x
      yarn owner add x`)
  },
  {
    programs: set("cargo"),
    looks: set("tree metadata pkgid version locate-project read-manifest verify-project info"),
    follows: set("build b check c test t bench clippy fmt doc d fetch"),
    granted: lines(`cargo build --release
      cargo test
      cargo test -- --nocapture
      cargo clippy
      cargo fmt
      cargo tree`),
    exactly: lines(`cargo run
      cargo rustc -- -C linker=./evil.sh
      cargo watch -s x
      cargo evil
      cargo yank x
      cargo publish
      cargo doc --open
      cargo search --index=http://x y
      cargo search free-text
      cargo owner --add x
      cargo install x
      cargo add x
      cargo login
      cargo +nightly build
      cargo clippy -- -C linker=./evil.sh
      cargo test -- --logfile x`)
  },
  {
    programs: set("go"),
    deep: set("mod work tool"),
    looks: set("version list doc"),
    // A module with a version, or its versions, are asked for at the module's own host.
    more: { list: /@|^--?(?:versions|retracted)$/, mod: /@/, doc: /@/ },
    follows: new Set([
      "build",
      "test",
      "vet",
      "fmt",
      "mod tidy",
      "mod download",
      "mod verify",
      "mod graph",
      "mod why",
      "mod vendor"
    ]),
    granted: lines(`go test ./...
      go build ./...
      go vet ./...
      go mod tidy
      go mod download
      go list -m all
      go version`),
    exactly: lines(`go run .
      go get x
      go install x
      go env -w A=b
      go tool x
      go mod edit -replace=a=b
      go work use x
      go fix ./...`)
  },
  {
    programs: set("pip"),
    looks: set("list show freeze check"),
    granted: lines(`pip list
      pip3 show x
      pip freeze
      pip check`),
    exactly: lines(`pip install x
      pip download x
      pip wheel x
      pip config set a b
      pip uninstall x
      pip cache purge
      pip list --log x
      pip list --index-url http://x`)
  },
  ...SERVICE_LEVELS
]
