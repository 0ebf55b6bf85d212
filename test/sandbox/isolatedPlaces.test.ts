/** What an isolated command sees of the file system (SECURITY T4–T7, T26; R165, R272). */
import { createServer } from "node:net"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolatedRunnerOf, script } from "../support/processes.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const SECRETS = `.ssh/id_ed25519 .aws/credentials .config/gcloud/credentials.db .kube/config .docker/config.json
  .gnupg/private-keys-v1.d/a.key .netrc .npmrc .git-credentials .config/gh/hosts.yml .pypirc .config/claw/config.json
  .local/state/claw/claw.db .bash_history .claude/.credentials.json`.split(/\s+/)
const CANARY = "canary-91b7"

const layOut = (there: Dir): string => {
  for (const path of SECRETS) there.file(`home/${path}`, CANARY)
  there.file("home/.gitconfig", "[user]\n\tname = n\n")
  there.file("home/own/token", CANARY)
  there.file("home/moved/key", CANARY)
  there.link("home/.password-store", "moved")
  return join(there.root, "home")
}

const started = (there: Dir, more: Parameters<typeof isolatedRunnerOf>[0] = {}) => {
  const home = join(there.root, "home")
  const environment = { PATH: process.env["PATH"], HOME: home }
  const runner = isolatedRunnerOf({ environment, own: [join(home, "own")], ...more })
  return Effect.map(
    runner,
    ({ run }) =>
      (text: string) =>
        run(script(text, { cwd: there.ws }))
  )
}

/** Private /tmp would hide everything of a test: this opens the test's own directory, as a person may. */
const opened = (there: Dir) => ({ read: [there.root] })

describe("places", () => {
  it.live("keys, credentials, histories and claw's own directories are not there, the rest can be read", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const home = layOut(there)
      const run = yield* started(there, { settings: opened(there) })
      const all = [...SECRETS, "own/token", ".password-store/key", "moved/key"].map((path) => join(home, path))
      const { output } = yield* run(
        `cat ${all.join(" ")} 2>/dev/null; grep -rs ${CANARY} ${home} && echo found; cat ~/.gitconfig; echo x > ~/.gitconfig; echo x > ~/new; echo $?`
      )
      assert.notInclude(output.text, CANARY)
      assert.notInclude(output.text, "found")
      assert.match(output.text, /^\[user\]\n\tname = n\n[^]*Read-only file system\n1\n$/)
    })
  )

  it.live("the deeper path decides, and a person's own setting at the same one", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const home = layOut(there)
      mkdirSync(join(home, "cache"))
      const settings = { read: [there.root, join(home, ".aws")], write: [join(home, "cache"), home] }
      const run = yield* started(there, { settings })
      const { output } = yield* run(
        "cat ~/.aws/credentials; echo; cat ~/.ssh/id_ed25519 ~/own/token 2>/dev/null; echo kept > ~/cache/a; echo x > ~/.aws/new || echo refused; : > ~/made && echo made"
      )
      assert.strictEqual(output.text.replace(/^bash: .*\n/m, ""), `${CANARY}\nrefused\nmade\n`)
      const next = yield* run("cat ~/cache/a; ls ~/made")
      assert.strictEqual(next.output.text, `kept\n${home}/made\n`)
    })
  )

  it.live("a docker socket stays closed also below a path that was opened", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const home = layOut(there)
      const socket = join(home, ".colima/default/docker.sock")
      mkdirSync(join(socket, ".."), { recursive: true })
      const server = createServer((peer) => peer.end("docker"))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(socket, () => resume(Effect.void))),
        () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const run = yield* started(there, { settings: { ...opened(there), write: [home], network: true } })
      const { output } = yield* run(
        `[ -S ${socket} ] && echo there; perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0); print connect($s, pack_sockaddr_un($ARGV[0])) ? "connected" : "closed"' ${socket}`
      )
      assert.strictEqual(output.text, "closed")
    })
  )

  it.live("the network is there only where it is allowed", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const server = createServer((peer) => peer.end("reached\n"))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const text = `exec 9<>/dev/tcp/127.0.0.1/${port} && cat <&9; echo $?`
      const [closed, open] = yield* Effect.all([
        Effect.flatMap(started(there), (run) => run(text)),
        Effect.flatMap(started(there, { settings: { network: true } }), (run) => run(text))
      ])
      assert.match(closed.output.text, /Connection refused|unreachable/)
      assert.strictEqual(open.output.text, "reached\n0\n")
    })
  )

  it.live("/tmp is each call's own, and the whole file system is no workspace", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const run = yield* started(there)
      const first = yield* run("ls -A /tmp | grep -v claw-test; echo x > /tmp/mine; ls /tmp/mine; ls /run | wc -l")
      assert.strictEqual(first.output.text, "/tmp/mine\n0\n")
      assert.strictEqual((yield* run("ls /tmp/mine 2>/dev/null; echo end")).output.text, "end\n")
      const environment = { PATH: process.env["PATH"], HOME: there.root, TMPDIR: join(there.root, "elsewhere") }
      const moved = yield* started(there, { environment })
      assert.match((yield* moved("mktemp")).output.text, /^\/tmp\/tmp\./)
      const { run: plain } = yield* isolatedRunnerOf()
      assert.strictEqual((yield* Effect.flip(plain(script("true", { cwd: "/" })))).reason, "not_isolated")
    })
  )
})
