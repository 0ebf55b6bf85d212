/** A scene of the console in a browser: no hand leaves the keyboard. Run by test/console/browser.test.ts. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { LONG, type Site } from "./consoleKit.ts"
import { answers } from "./consolePage.ts"

export const usedByKeys = async (page: Page, at: Site["Service"]): Promise<void> => {
  await page.goto(at.url)
  await page.locator(".shell").waitFor()
  await page.keyboard.press("Alt+n")
  await page.getByRole("textbox", { name: "Name" }).fill("Keys")
  const made: Array<string> = []
  page.on("request", (request) => void (request.method() === "POST" && made.push(new URL(request.url()).pathname)))
  // Twice, as hands do: it is one session.
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await page.locator(".composer textarea:focus").waitFor()
  assert.deepStrictEqual(made, ["/api/sessions"])
  await page.keyboard.type("twice touch k\u202e")
  await page.keyboard.press("Enter")
  const ready = page.locator(".approval[data-settled=true]")
  await ready.waitFor()
  // What turns a line around is shown as what it is, in the row as in the question.
  assert.strictEqual(await page.locator(".call-head .subject").first().innerText(), "touch k⟨U+202E⟩")
  await page.keyboard.press("Alt+n")
  await page.getByRole("textbox", { name: "Name" }).fill("Aside")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Aside" }).waitFor()
  await page.locator(".composer textarea:focus").waitFor()
  // The question waits in another session.
  await page.keyboard.press("Alt+a")
  await page.locator(".approval[data-settled=true]:focus").waitFor()
  await page.keyboard.press("y")
  await page.locator(".approval[data-settled=true]:focus").getByText("touch k⟨U+202E⟩2").first().waitFor()
  await page.keyboard.press("y")
  await answers(page).getByText("ran").waitFor()
}

/** Shift+Home and Control+ArrowUp scroll nothing; nobody has moved a page in its first second, however long that is here. */
export const followed = async (page: Page, at: Site["Service"]): Promise<void> => {
  await page.addInitScript("{ const now = performance.now.bind(performance); performance.now = () => now() / 20 }")
  await page.goto(`${at.url}/s/${LONG}`)
  await page.getByText("line 19999 of many").waitFor()
  const log = page.getByRole("log")
  await log.press("Shift+Home")
  await log.press("Control+ArrowUp")
  // Less room is to the list as content that grows.
  await page.setViewportSize({ width: 900, height: 420 })
  const element = "document.querySelector('[role=log]')"
  const left = () => page.evaluate<number>(`${element}.scrollHeight - ${element}.scrollTop - ${element}.clientHeight`)
  for (let i = 0; i < 50 && (await left()) >= 48; i++) await page.waitForTimeout(100)
  assert.isBelow(await left(), 48)
}
