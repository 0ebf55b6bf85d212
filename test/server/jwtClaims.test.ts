/** From claims to a principal: understood or refused, never guessed (issue 3, Identity). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type ClaimNames, principalOf } from "../../src/server/jwtClaims.ts"

const usual: ClaimNames = { tenant: undefined, project: undefined, role: undefined }
const own: ClaimNames = { tenant: "https://claw.example/org", project: "team", role: "groups" }

const read = (claims: object, names: ClaimNames = usual) => {
  const result = principalOf(claims as Readonly<Record<string, unknown>>, names)
  return Result.isSuccess(result) ? Object.values(result.success).join(" ") : result.failure
}

const table: ReadonlyArray<readonly [claims: object, names: ClaimNames, expected: string]> = [
  [{ sub: "ada" }, usual, "default default ada member ada"],
  [{ sub: "ada", tenant: "acme", project: "web", role: "approver" }, usual, "acme web ada approver ada"],
  [{ sub: "ada@example.com", role: "admin" }, usual, "default default ada@example.com admin ada@example.com"],
  [
    { sub: "ada", "https://claw.example/org": "acme", team: "web", groups: ["staff", "viewer"], role: "admin" },
    own,
    "acme web ada viewer ada"
  ],
  [{ sub: "ada" }, own, "claim https://claw.example/org is no name"],
  [{ sub: "ada", tenant: "" }, usual, "claim tenant is no name"],
  [{ sub: "ada", tenant: null }, usual, "claim tenant is no name"],
  [{ sub: "ada", tenant: 7 }, usual, "claim tenant is no name"],
  [{ sub: "ada", tenant: ["acme"] }, usual, "claim tenant is no name"],
  [{ sub: "ada", project: "a/b" }, usual, "claim project is no name"],
  [{ sub: "ada", tenant: "local" }, usual, "claim of the tenant names this machine's own"],
  [{ sub: "ada", role: "Admin" }, usual, "claim role names no role"],
  [{ sub: "ada", role: [] }, usual, "claim role names no role"],
  [{ sub: "ada", role: ["viewer", "admin"] }, usual, "claim role names several roles"],
  [{ sub: "ada", role: { admin: true } }, usual, "claim role names no role"],
  [{ sub: "ada" }, { ...usual, tenant: "toString" }, "claim toString is no name"],
  [{ sub: "ada" }, { ...usual, role: "__proto__" }, "claim __proto__ names no role"],
  [{}, usual, "claim sub is no subject"],
  [{ sub: "" }, usual, "claim sub is no subject"],
  [{ sub: "a\u202eb" }, usual, "claim sub is no subject"],
  [{ sub: "a".repeat(256) }, usual, "claim sub is no subject"]
]

describe("claims", () => {
  for (const [claims, names, expected] of table) {
    it(`${JSON.stringify(claims).slice(0, 90)} by ${JSON.stringify(names)}: ${expected}`, () => {
      assert.strictEqual(read(claims, names), expected)
    })
  }

  it("of other subjects make other users, also where a subject cannot stand in a key or imitates one that does", () => {
    const odd = read({ sub: "auth0|ada" })
    assert.match(odd, /^default default sub-[0-9a-f]{64} member/)
    const user = odd.split(" ")[2] ?? ""
    const all = ["auth0|ada", "auth0|bob", "auth0/ada", user, "ada", "Ada"].map((sub) => read({ sub }))
    assert.strictEqual(new Set(all).size, all.length)
  })
})
