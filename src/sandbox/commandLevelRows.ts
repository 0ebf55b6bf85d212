/**
 * The commands of programs that have some, as data (SECURITY P5, P8). Owns: the rows, each with lines that a grant of first
 * words covers and lines that it never does (`levels.test.ts` tries them all). Does not own: git's (commandGit), what
 * follows of a row (commandLevels). Pure. Invariant: what a row does not name is granted word for word.
 */
const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** `each("image", "ls rm")` is `image ls` and `image rm`. */
const each = (group: string, commands: string): ReadonlyArray<string> =>
  commands.split(" ").map((one) => `${group} ${one}`)

/** A line each. */
const lines = (text: string): ReadonlyArray<string> => text.split(/\n\s*/)

export interface Level {
  readonly programs: ReadonlySet<string>
  /** These have commands of their own: `image ls`. */
  readonly deep?: ReadonlySet<string>
  readonly looks: ReadonlySet<string>
  /** They do what a file says whose content the grant is bound to. */
  readonly follows?: ReadonlySet<string>
  /** Of those: with a name they bring along what nobody has looked at. */
  readonly installs?: ReadonlySet<string>
  /** A script of the manifest may stand in a command's place, unless it is one of these. */
  readonly own?: ReadonlySet<string>
  /** Words that make a command do more; `*`: every one of them. */
  readonly more?: Readonly<Record<string, RegExp>>
  readonly granted: ReadonlyArray<string>
  readonly exactly: ReadonlyArray<string>
}

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
    more: { audit: /^fix$/, version: /^[^-]/ },
    granted: lines(`npm test
      npm run build
      npm ci
      npm install
      npm install --omit dev
      npm i --loglevel warn
      npm ls --depth=0
      npm outdated
      npm audit`),
    exactly: lines(`npm token create
      npm owner add evil
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
    looks: set("tree metadata pkgid version locate-project read-manifest verify-project search info"),
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
      go version`),
    exactly: lines(`go run .
      go generate ./...
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
  {
    programs: set("docker podman nerdctl"),
    deep: set("image container volume network system context compose"),
    looks: new Set([
      ...set("ps images logs version info top port history stats diff"),
      ...each("image", "ls history"),
      ...each("volume", "ls"),
      ...each("network", "ls"),
      ...each("system", "df"),
      ...each("context", "ls show"),
      ...each("container", "ls logs top port diff stats"),
      ...each("compose", "ps ls logs version images top")
    ]),
    granted: lines(`docker ps -a
      docker images
      docker logs --tail 5 web
      podman ps
      docker compose ps
      docker image ls`),
    exactly: lines(`docker run x
      docker exec x sh
      docker build .
      docker rm x
      docker inspect x
      docker compose up
      docker compose -f x ps
      docker -H tcp://x ps
      docker ps --config x
      docker system prune
      docker evil`)
  },
  {
    programs: set("kubectl oc"),
    deep: set("config rollout auth"),
    looks: new Set([
      ...set("get describe logs top explain version cluster-info api-resources api-versions"),
      ...each("config", "current-context get-contexts get-clusters"),
      ...each("rollout", "status history"),
      ...each("auth", "can-i whoami")
    ]),
    more: { "*": /secret|-file=|:\/\//i },
    granted: lines(`kubectl get pods -A
      kubectl describe pod x
      kubectl logs x --tail=5
      kubectl config current-context`),
    exactly: lines(`kubectl delete pod x
      kubectl apply -f x
      kubectl exec x -- sh
      kubectl get secrets -o yaml
      kubectl get pods --kubeconfig=x
      kubectl get -f x
      kubectl config view
      kubectl evil`)
  },
  {
    programs: set("gh"),
    deep: set("pr issue run workflow release repo label cache ruleset auth"),
    looks: new Set([
      ...each("pr", "view list status diff checks"),
      ...each("issue", "view list status"),
      ...each("run", "view list"),
      ...each("workflow", "view list"),
      ...each("release", "view list"),
      ...each("repo", "view list"),
      "label list",
      "cache list",
      "auth status",
      "status",
      ...each("ruleset", "list view check")
    ]),
    more: { "*": /:\/\// },
    granted: lines(`gh pr view 5
      gh pr list --limit 5
      gh pr checks
      gh issue list -s open
      gh run view 5 --log
      gh auth status`),
    exactly: lines(`gh pr create
      gh pr merge 5
      gh api /user
      gh repo delete x
      gh pr view 5 --web
      gh pr list -R a/b
      gh auth token
      gh auth status -t
      gh extension install x
      gh evil
      gh pr view https://evil.example/a/b/pull/1`)
  }
]
