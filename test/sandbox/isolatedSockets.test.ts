/** A socket in the workspace belongs to a program of the user's, who does things outside: no isolated command reaches it (T7). */
import { createServer } from "node:net"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { socketsIn } from "../../src/sandbox/bubblewrap/Sockets.ts"
import { isolatedRunnerOf, script } from "../support/processes.ts"
import { dir } from "../support/workspaceDir.ts"

const listening = (path: string, got: Array<string>) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(
        (socket) => void socket.on("data", (data) => void got.push(String(data))).end("hello\n")
      )
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const connect = (path: string) =>
  `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or print("closed\\n"), exit; print $s "in\\n"; print <$s>' ${path}`

it.live("sockets that are there, at any depth, are closed; one of the command's own is open", () =>
  Effect.gen(function* () {
    const there = yield* dir
    const got: Array<string> = []
    mkdirSync(join(there.ws, "deep/er"), { recursive: true })
    yield* listening(join(there.ws, "db.sock"), got)
    yield* listening(join(there.ws, "deep/er/.s.PGSQL.5432"), got)
    assert.deepStrictEqual(socketsIn(there.ws), ["db.sock", "deep/er/.s.PGSQL.5432"])
    const runner = yield* isolatedRunnerOf({ environment: { PATH: process.env["PATH"], HOME: "/tmp" } })
    const own = `perl -MIO::Socket::UNIX -e 'my $l = IO::Socket::UNIX->new(Local => "own.sock", Listen => 1) or die; my $s = IO::Socket::UNIX->new(Peer => "own.sock") or die "no"; print "own\\n"'`
    const text = [connect("db.sock"), connect("deep/er/.s.PGSQL.5432"), own].join("; ")
    const { output } = yield* runner.run(script(text, { cwd: there.ws }))
    assert.strictEqual(output.text, "closed\nclosed\nown\n")
    assert.deepStrictEqual(got, [])
  })
)
