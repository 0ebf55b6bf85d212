/** Scenes of the console in a browser: signing in elsewhere, and being called. Run by test/console/browser.test.ts. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Site } from "./consoleKit.ts"
import { world } from "./e2eProgram.ts"
import { served } from "./e2eServer.ts"
import { AUDIENCE, make } from "./fakeIssuer.ts"
import { CLIENT, withLogin } from "./fakeIssuerLogin.ts"

/** Through the issuer's page, which lets everybody in, and back to where somebody wanted to be. */
export const atIssuer = Effect.gen(function* () {
  const at = yield* world()
  const issuer = yield* make
  const { visit } = withLogin(issuer)
  issuer.instead.set("/authorize", (response) => {
    const asked = new URL(response.req.url ?? "", issuer.issuer)
    response.writeHead(302, { location: `${asked.searchParams.get("redirect_uri")}${visit(asked.href)}` }).end()
  })
  const { ready } = yield* served(at, [], {
    CLAW_SERVER_OIDC_ISSUER: issuer.issuer,
    CLAW_SERVER_OIDC_AUDIENCE: AUDIENCE,
    CLAW_SERVER_OIDC_CLIENT_ID: CLIENT
  })
  const { url } = ready.http
  const site = yield* Site
  const page = yield* site.page({ storageState: { cookies: [], origins: [] } })
  yield* Effect.promise(async () => {
    await page.goto(`${url}/usage`)
    await page.getByRole("link", { name: "Sign in at the issuer" }).click()
    await page.getByRole("heading", { name: "Usage" }).waitFor()
    assert.strictEqual(page.url(), `${url}/usage`)
    await page.getByRole("button", { name: "Settings" }).click()
    await page.getByRole("menuitem", { name: "Sign out ada" }).waitFor()
    await page.context().close()
  })
}).pipe(Effect.scoped)

interface Called {
  readonly called: ReadonlyArray<readonly [string, string]>
}

/** A browser that allows it, and a page that nobody looks at. */
export const callable = async (page: Page): Promise<void> => {
  await page.addInitScript(`
    window.called = []
    window.Notification = class extends EventTarget {
      static permission = "default"
      static requestPermission = async () => (this.permission = "granted")
      constructor(title, { body }) {
        super()
        window.called.push([title, body])
      }
    }
    document.hasFocus = () => false
  `)
}

export const calls = (page: Page) => page.evaluate(() => (globalThis as unknown as Called).called)
