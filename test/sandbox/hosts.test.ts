/** Which hosts a command may reach: names in their one form, listed ones alone, public addresses alone (SECURITY T7, T19). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isListed, isPublic, targetOf } from "../../src/sandbox/bubblewrap/hosts.ts"
import { makeVisits, type Outside } from "../../src/sandbox/bubblewrap/reach.ts"

const nobody: ReadonlySet<string> = new Set()

describe("what is asked for", () => {
  it("is a name in its one form, and no address however it is written", () => {
    const rows: ReadonlyArray<readonly [string, string | undefined]> = [
      ["example.com:443", "example.com"],
      ["EXAMPLE.com.:443", "example.com"],
      ["xn--bcher-kva.example:443", "xn--bcher-kva.example"],
      ["example.com", undefined],
      ["example.com:0", undefined],
      ["example.com:65536", undefined],
      ["example.com\u0000.evil.test:443", undefined],
      ["example.com%00.evil.test:443", undefined],
      ["user@example.com:443", undefined],
      ["example.com:443@evil.test:443", undefined],
      ["bücher.example:443", undefined],
      ["example。com:443", undefined],
      ["example..com:443", undefined],
      ["-example.com:443", undefined],
      ["127.0.0.1:443", undefined],
      ["127.1:443", undefined],
      ["2130706433:443", undefined],
      ["0x7f000001:443", undefined],
      ["017700000001:443", undefined],
      ["example.0x7f:443", undefined],
      ["[::1]:443", undefined],
      ["::1:443", undefined]
    ]
    for (const [text, host] of rows) assert.strictEqual(targetOf(text)?.host, host, text)
  })

  it("is covered by its own entry, on the ports of the web or the given one, and by no suffix", () => {
    const rules = ["example.com", "*.wide.test", "port.test:8443"]
    const reached = (text: string) => {
      const target = targetOf(text)
      return target !== undefined && isListed(rules, target)
    }
    for (const text of ["example.com:443", "Example.COM:80", "a.wide.test:443", "a.b.wide.test:80", "port.test:8443"])
      assert.isTrue(reached(text), text)
    for (const text of [
      "example.com:22",
      "sub.example.com:443",
      "evilexample.com:443",
      "example.com.evil.test:443",
      "wide.test:443",
      "evilwide.test:443",
      "port.test:443"
    ])
      assert.isFalse(reached(text), text)
    assert.isFalse(isListed([], { host: "example.com", port: 443 }))
  })
})

describe("an address", () => {
  const inside = `0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16 ::1 :: fe80::1 fe80::1%eth0 fc00::1
    fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 2001::1 2002:7f00:1:: 2001:db8::1 100::1`
  const outside = "1.1.1.1 8.8.8.8 93.184.215.14 172.32.0.1 100.128.0.1 2606:4700:4700::1111 2a00:1450:4001:80b::200e"

  it("is public, or of this machine, its network or its cloud", () => {
    for (const one of inside.split(/\s+/)) assert.isFalse(isPublic(one, nobody), one)
    for (const one of outside.split(/\s+/)) assert.isTrue(isPublic(one, nobody), one)
    assert.isFalse(isPublic("93.184.215.14", new Set(["93.184.215.14"])))
  })

  it("that cannot be read is none", () => {
    fc.assert(fc.property(fc.string(), (text) => void isPublic(text, nobody)))
    for (const text of ["", "localhost", "1.1.1", "0x08080808"]) assert.isFalse(isPublic(text, nobody), text)
  })
})

/** Names answer with these, one after the other; what was connected to. */
const machine = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const [looked, dialled]: [Array<string>, Array<ReadonlyArray<string>>] = [[], []]
  const outside: Outside = {
    lookup: async (host) => {
      looked.push(host)
      return (answers[looked.length - 1] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    },
    dial: (_target, addresses) => {
      dialled.push(addresses.map(({ address }) => address))
      return undefined as never
    },
    own: () => nobody
  }
  return { outside, looked, dialled }
}

describe("a listed host", () => {
  it("is looked up once, and connected to where that look led: what the name says next changes nothing", async () => {
    const { dialled, looked, outside } = machine(["93.184.215.14"], ["127.0.0.1"])
    const { all, judge } = makeVisits(["example.com"], outside)
    const first = await judge({ host: "example.com", port: 443 })
    assert.property(first, "dial")
    if ("dial" in first) first.dial()
    assert.deepStrictEqual([looked, dialled], [["example.com"], [["93.184.215.14"]]])
    assert.deepStrictEqual(await judge({ host: "example.com", port: 443 }), { refused: "private_address" })
    assert.deepStrictEqual(all(), [
      { host: "example.com", port: 443, times: 1 },
      { host: "example.com", port: 443, times: 1, refused: "private_address" }
    ])
  })

  it("is refused where only one of its addresses is not public, and where it has none", async () => {
    const { dialled, outside } = machine(["93.184.215.14", "10.0.0.1"], [])
    const { judge } = makeVisits(["example.com"], outside)
    const target = { host: "example.com", port: 443 }
    assert.deepStrictEqual(
      [await judge(target), await judge(target)],
      [{ refused: "private_address" }, { refused: "not_found" }]
    )
    assert.deepStrictEqual(dialled, [])
  })

  it("that is not listed is not even looked up", async () => {
    const { looked, outside } = machine(["93.184.215.14"])
    const { all, judge } = makeVisits(["example.com"], outside)
    for (let times = 0; times < 3; times += 1) await judge({ host: "secret-in-a-name.evil.test", port: 443 })
    assert.deepStrictEqual(looked, [])
    assert.deepStrictEqual(all(), [{ host: "secret-in-a-name.evil.test", port: 443, times: 3, refused: "not_listed" }])
  })
})
