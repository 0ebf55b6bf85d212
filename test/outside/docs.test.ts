/** The page of the API's description in a real browser: it shows every operation, under its own policy, from here alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser } from "../support/browser.ts"
import { demo, OUTSIDE } from "../support/servedProgram.ts"

/** In the page, before its own scripts. */
const WATCH = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI))`

type Described = Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>

/** What each operation does, as the description has it. */
const summariesOf = (origin: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}/openapi.json`)
    const { paths } = (await response.json()) as { readonly paths: Described }
    return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ summary }) => summary))
  })

interface Seen {
  readonly requests: ReadonlyArray<string>
  readonly complaints: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly text: string
}

const open = (url: string, last: string) =>
  Effect.gen(function* () {
    const chromium = yield* browser
    return yield* Effect.promise(async (): Promise<Seen> => {
      const page = await chromium.newPage()
      const [requests, complaints]: [Array<string>, Array<string>] = [[], []]
      // Also what the policy stops before it leaves.
      page.on("request", (request) => void requests.push(request.url()))
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
      page.on("pageerror", (error) => void complaints.push(error.message))
      await page.addInitScript(WATCH)
      const response = await page.goto(url)
      await page.getByText(last).first().waitFor()
      await page.waitForLoadState("networkidle")
      return {
        requests,
        complaints,
        policy: response?.headers()["content-security-policy"],
        text: await page.innerText("body")
      }
    })
  })

describe("the page of documentation", OUTSIDE, () => {
  it.live("shows the operations in Chromium, breaks no rule of its policy and asks nobody else", () =>
    Effect.gen(function* () {
      const { http } = yield* demo()
      const origin = `http://${http.host}:${http.port}`
      const summaries = yield* summariesOf(origin)
      assert.isAbove(summaries.length, 20)
      const { requests, complaints, policy, text } = yield* open(`${origin}/docs`, summaries.at(-1) ?? "")
      assert.deepStrictEqual(
        requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:") && !url.startsWith("blob:")),
        []
      )
      assert.deepStrictEqual(complaints, [])
      assert.match(policy ?? "", /^default-src 'none'; /)
      for (const each of summaries) assert.include(text, each)
    })
  )
})
