/** Arguments that two readers could read differently are refused (SECURITY P3, corpus B171). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { argumentsRefusal } from "../../src/approval/arguments.ts"
import { repeatedKey } from "../../src/domain/RepeatedKeys.ts"

describe("duplicate keys", () => {
  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"x":{"b":1,"b":2}}', "b"],
    ['{"x":[{"b":1},{"c":1,"c":2}]}', "c"],
    ['{"a" : 1 , "a" : 2}', "a"],
    [`{"a"${" ".repeat(200)}:1,"a":2}`, "a"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"]
  ])("%s", (json, key) => assert.strictEqual(repeatedKey(json, JSON.parse(json)), key))

  it.each(['{"a":{"a":1}}', '{"a":"a","b":"\\"a\\":"}', '{"a":["a","a"]}', "[]", '{"a":1,"A":2}', '""'])(
    "none in %s",
    (json) => assert.isUndefined(repeatedKey(json, JSON.parse(json)))
  )

  it("at a depth and a length that leave no room on a stack", () => {
    const deep = `${"[".repeat(5_000)}{"a":"${"x".repeat(1 << 20)}","a":1}${"]".repeat(5_000)}`
    assert.strictEqual(argumentsRefusal(deep), 'the arguments name "a" twice')
  })

  it("none in anything that JSON.stringify wrote", () => {
    fc.assert(fc.property(fc.json(), (json) => argumentsRefusal(JSON.stringify(JSON.parse(json))) === undefined))
  })
})
