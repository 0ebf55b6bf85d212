/** Where a session may be made, for whom (SECURITY, LESSONS 48): the rule, and that `hello` keeps it. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { workspaceFor } from "../../src/channel/Workspaces.ts"
import { table as codes } from "../../src/domain/ErrorCode.ts"
import { localPrincipal, type Role } from "../../src/domain/Principal.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { transports } from "../support/transports.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const someone = (role: Role) => ({ ...localPrincipal, user: "mia", role, name: role })
const made = (there: Dir, ...paths: ReadonlyArray<string>) =>
  paths.forEach((path) => mkdirSync(join(there.root, path), { recursive: true }))

/** The place that this principal is given, or the code of the refusal. */
const given = (there: Dir, role: Role, wanted?: string) =>
  Effect.match(workspaceFor({ workspace: there.ws }, someone(role), wanted), {
    onSuccess: (path) => path.replace(there.root, ""),
    onFailure: ({ code }) => code
  })

describe("the workspace of a new session", () => {
  it.effect("is the server's own, or a real directory below it, for those who may not manage", () =>
    Effect.gen(function* () {
      const there = yield* dir
      made(there, "ws/a/b", "ws2", "out", "ws/.git/hooks", "ws/.claw", "ws/.github", "ws/..x")
      there.file("ws/file", "")
      there.link("ws/in", join(there.root, "ws/a/b"))
      there.link("ws/escape", join(there.root, "out"))
      there.link("ws/up", "..")
      there.link("door", join(there.root, "ws/a"))
      const table: ReadonlyArray<readonly [string | undefined, string]> = [
        [undefined, "/ws"],
        [there.ws, "/ws"],
        [`${there.ws}/`, "/ws"],
        [join(there.ws, "a"), "/ws/a"],
        [`${there.ws}/a/../a/b/..`, "/ws/a"],
        [join(there.ws, "in"), "/ws/a/b"],
        [join(there.root, "door"), "/ws/a"],
        [join(there.ws, "..x"), "/ws/..x"],
        [join(there.ws, ".github"), "/ws/.github"],
        [join(there.ws, "escape"), "forbidden"],
        [join(there.ws, "up"), "forbidden"],
        [`${there.ws}/escape/../ws`, "forbidden"],
        [`${there.ws}/..`, "forbidden"],
        [join(there.root, "ws2"), "forbidden"],
        [join(there.root, "out"), "forbidden"],
        ["/", "forbidden"],
        [join(there.ws, "file"), "forbidden"],
        [join(there.ws, "missing"), "forbidden"],
        [join(there.root, "missing"), "forbidden"],
        [join(there.ws, ".git"), "forbidden"],
        [join(there.ws, ".git/hooks"), "forbidden"],
        [join(there.ws, ".claw"), "forbidden"],
        ["a", "forbidden"],
        [".", "forbidden"],
        ["", "forbidden"],
        [`${there.ws}\0`, "forbidden"]
      ]
      for (const role of ["requester", "member"] as const) {
        for (const [wanted, wants] of table) {
          assert.strictEqual(yield* given(there, role, wanted), wants, String(wanted))
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is any directory for who may manage", () =>
    Effect.gen(function* () {
      const there = yield* dir
      made(there, "out")
      assert.strictEqual(yield* given(there, "admin", join(there.root, "out")), "/out")
      assert.strictEqual(yield* given(there, "admin", join(there.root, "missing")), "workspace_unreadable")
      assert.strictEqual(yield* given(there, "admin", "relative"), "workspace_unreadable")
    }).pipe(Effect.scoped)
  )

  it.effect("who may name any is told what is wrong with the one, without its path; others are not", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("file", "")
      const why = (role: Role, wanted: string) =>
        Effect.map(Effect.flip(workspaceFor({ workspace: there.ws }, someone(role), wanted)), ({ message }) => message)
      const told: ReadonlyArray<readonly [string, string]> = [
        ["relative", "A directory is named by its full path, from / on."],
        ["~/project", "A directory is named by its full path, from / on."],
        [join(there.root, "missing"), "There is no such directory on the server's machine."],
        [join(there.root, "file"), "That is a file, and no directory."]
      ]
      for (const [wanted, says] of told) {
        assert.strictEqual(yield* why("admin", wanted), says)
        assert.strictEqual(yield* why("member", wanted), codes.forbidden.en)
      }
    }).pipe(Effect.scoped)
  )
})

describe.each(transports)("hello over $name", (transport) => {
  it.live("makes no session elsewhere, and its refusal names no path", () =>
    Effect.gen(function* () {
      const there = yield* dir
      made(there, "ws/a", "out")
      const script = () => turns(answer("ok"))
      yield* Effect.gen(function* () {
        for (const session_id of [undefined, "chosen"]) {
          const member = yield* client(transport, someone("member"))
          yield* member.say({ type: "hello", session_id, create: { workspace: join(there.root, "out") } })
          const { error } = yield* member.next("error")
          assert.deepStrictEqual([error.code, error.message], ["forbidden", "This is not allowed for you."])
        }
        const other = yield* client(transport, someone("member"))
        yield* other.say({ type: "hello", create: { workspace: join(there.ws, "a") } })
        assert.strictEqual((yield* other.next("status")).workspace, join(there.ws, "a"))
        const admin = yield* client(transport)
        yield* admin.say({ type: "hello", create: { workspace: join(there.root, "out") } })
        assert.strictEqual((yield* admin.next("status")).workspace, join(there.root, "out"))
      }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, workspace: there.ws })))
    }).pipe(Effect.scoped)
  )
})
