/** `claw token` as a person and a script use it (issue 3, Identity; R272). */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, STACK, worldAt } from "../support/e2eProgram.ts"

const secretOf = (text: string) => /claw_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? "none"

const machine = Effect.map(worldAt("http://127.0.0.1:1"), ({ env, workspace, state }) => ({
  state,
  token: (...args: ReadonlyArray<string>) => claw(["token", ...args], { env, cwd: workspace })
}))

describe("claw token", SIDE_BY_SIDE, () => {
  it.live("prints a token once, lists it without, and revokes it", () =>
    Effect.gen(function* () {
      const { token, state } = yield* machine
      const made = yield* token("create", "--user", "ada", "--name", "my laptop", "--expires", "30")
      assert.match(made.stdout, /^claw_[A-Za-z0-9_-]{43}\n$/)
      const id =
        /^claw: This is shown once\. To take it back: claw token revoke (tok_\S+)\n/.exec(made.stderr)?.[1] ?? ""
      assert.match(
        (yield* token("list")).stdout,
        new RegExp(`^${id}  local/default/ada  member  until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  used -  my laptop\n$`)
      )
      const revoked = yield* token("revoke", id)
      assert.deepStrictEqual([revoked.code, revoked.stdout], [0, ""])
      const listed = yield* token("list", "--json")
      const { created_at, expires_at, revoked_at, ...rest } = JSON.parse(listed.stdout) as Record<string, string>
      assert.deepStrictEqual(rest, {
        token_id: id,
        name: "my laptop",
        tenant: "local",
        project: "default",
        user: "ada",
        role: "member"
      })
      assert.strictEqual(Date.parse(expires_at ?? "") - Date.parse(created_at ?? ""), 30 * 86_400_000)
      assert.isAtLeast(Date.parse(revoked_at ?? ""), Date.parse(created_at ?? ""))
      const kept = readdirSync(state).filter((name) => name.startsWith("claw.db"))
      const bytes = kept.map((name) => readFileSync(join(state, name), "latin1")).join("")
      assert.notInclude(listed.stdout + bytes, secretOf(made.stdout).slice(5, 20))
    })
  )

  it.live("gives a script one JSON object with the token in it", () =>
    Effect.gen(function* () {
      const { token } = yield* machine
      const options = ["--user", "bob", "--tenant", "acme", "--project", "web", "--role", "approver", "--json"]
      const { stdout, stderr } = yield* token("create", ...options)
      const { token: secret, token_id, created_at: _, ...rest } = JSON.parse(stdout) as Record<string, string>
      assert.deepStrictEqual(rest, { name: "bob", tenant: "acme", project: "web", user: "bob", role: "approver" })
      assert.deepStrictEqual([secretOf(String(secret)), stderr], [secret, ""])
      const { stdout: answer } = yield* token("revoke", String(token_id), "--json")
      assert.deepStrictEqual(JSON.parse(answer), { token_id, revoked: true })
    })
  )

  const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, sentence: string]> = [
    [["create"], 2, "claw token create needs --user NAME."],
    [["create", "--user", "a/b"], 2, "User, tenant and project are 1 to 128 letters, digits and . _ @ + -"],
    [
      ["create", "--user", "a", "--tenant", ""],
      2,
      "User, tenant and project are 1 to 128 letters, digits and . _ @ + -"
    ],
    [["create", "--user", "a", "--expires", "0"], 2, "--expires is a number of days from 1 to 3650."],
    [["create", "--user", "a", "--expires", "1e3"], 2, "--expires is a number of days from 1 to 3650."],
    [["create", "--user", "a", "--role", "root"], 2, "--role is one of viewer, requester, approver, member, admin."],
    [["create", "--user", "a", "--name", "x".repeat(201)], 2, "--name is at most 200 characters."],
    [["revoke"], 2, "claw token takes create, list, or revoke and an id."],
    [["revoke", "tok_none"], 1, "There is no token tok_none. Try: claw token list"],
    [["revoke", "claw_CANARY0123456789"], 1, "There is no token claw_…. Try: claw token list"]
  ]
  it.live("refuses what it cannot do in one sentence", () =>
    Effect.gen(function* () {
      const { token } = yield* machine
      for (const [args, code, sentence] of refused) {
        const ended = yield* token(...args)
        assert.deepStrictEqual([ended.code, ended.stderr, ended.stdout], [code, `claw: ${sentence}\n`, ""])
        assert.notMatch(ended.stderr, STACK)
      }
    })
  )
})
