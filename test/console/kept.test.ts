/** What a browser keeps of a person, and of nobody else who signs in behind them (R251, R255); calls that cannot be made. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { keepDraft, keepOutbox, draftOf, outboxOf } from "../../src/console/state/outbox.ts"

interface Hub {
  readonly store: { readonly getState: () => { readonly seen: object } }
  readonly begin: (me: Promise<object>) => Promise<void>
  readonly logout: () => Promise<void>
  readonly signedOut: () => void
  readonly saw: (id: string) => void
}

interface Calling {
  readonly mayCall: () => boolean
  readonly callFor: (call: object, clicked: () => void) => void
}

/** Files of the page, which only its own compiler knows the words of. */
const ofPage = (file: string): Promise<unknown> => import(new URL(`../../src/console/${file}.ts`, import.meta.url).href)
const { hub } = (await ofPage("state/hub")) as { readonly hub: Hub }
const { callFor, mayCall } = (await ofPage("shell/calling")) as Calling

/** As a browser's: its entries are its own keys. */
const storage = (): Storage => {
  const made = Object.create({
    getItem: (name: string) => (Object.hasOwn(made, name) ? made[name] : null),
    setItem: (name: string, value: string) => void (made[name] = value),
    removeItem: (name: string) => void delete made[name]
  }) as Record<string, string>
  return made as unknown as Storage
}

const me = (user: string): Promise<object> =>
  Promise.resolve({
    principal: { tenant: "local", project: "default", user, role: "member", name: user },
    permissions: []
  })

const sending = [{ key: "k", content: "rm of mine", when_busy: "queue" as const }]

/** Whoever was here wrote something, sent something that never went out, and read a session. */
const used = async (user: string) => {
  await hub.begin(me(user))
  keepDraft("s1", "half a thought")
  keepOutbox("s1", sending)
  hub.saw("s1")
  localStorage.setItem("claw.theme", '"dark"')
}

const left = () => ({ draft: draftOf("s1"), outbox: outboxOf("s1"), seen: Object.keys(hub.store.getState().seen) })
const nothing = { draft: "", outbox: [], seen: [] }

describe("what is kept of a person", () => {
  beforeEach(() => {
    vi.stubGlobal("localStorage", storage())
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ sessions: [], approvals: [] })))
  })
  afterEach(() => {
    hub.signedOut()
    vi.unstubAllGlobals()
  })

  it("is there when their login has expired and they are back", async () => {
    await used("ann")
    hub.signedOut()
    await hub.begin(me("ann"))
    assert.deepStrictEqual(left(), { draft: "half a thought", outbox: sending, seen: ["s1"] })
  })

  it("is not given to the next person, whose session may have the same id", async () => {
    await used("ann")
    hub.signedOut()
    await hub.begin(me("eve"))
    assert.deepStrictEqual(left(), nothing)
    assert.strictEqual(localStorage.getItem("claw.theme"), '"dark"')
  })

  it("is gone with them when they sign out", async () => {
    await used("ann")
    await hub.logout()
    assert.deepStrictEqual(left(), nothing)
    assert.strictEqual(localStorage.getItem("claw.theme"), '"dark"')
  })
})

describe("a call to somebody who looks elsewhere", () => {
  afterEach(() => void vi.unstubAllGlobals())
  const call = { title: "Run this command?", body: "Session", tag: "r1" }

  it("is made where the browser allows it", () => {
    const made: Array<unknown> = []
    class Granted extends EventTarget {
      static permission = "granted"
      constructor(title: string, options: object) {
        super()
        made.push(title, options)
      }
    }
    vi.stubGlobal("Notification", Granted)
    callFor(call, () => {})
    assert.deepStrictEqual(made, ["Run this command?", { body: "Session", tag: "r1" }])
  })

  it("is not made where it was never allowed, or is not any more", () => {
    const refused = Object.assign(() => assert.fail("called"), { permission: "denied" })
    vi.stubGlobal("Notification", refused)
    assert.isFalse(mayCall())
    callFor(call, () => {})
    vi.stubGlobal("Notification", undefined)
    assert.isFalse(mayCall())
    callFor(call, () => {})
  })

  it("breaks nothing on a phone, where only other programs than pages may make one", () => {
    class OfWorkers {
      static permission = "granted"
      constructor() {
        throw new TypeError("Illegal constructor")
      }
    }
    vi.stubGlobal("Notification", OfWorkers)
    callFor(call, () => {})
  })
})
