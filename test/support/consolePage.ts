/** What a person does on a page of the console, and what is looked for in it. */
import { AxeBuilder } from "@axe-core/playwright"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Site } from "./consoleKit.ts"

export const composer = (page: Page) => page.getByRole("combobox", { name: "Message" })

export const create = async (page: Page, name: string): Promise<string> => {
  await page.locator(".shell").waitFor()
  await page.keyboard.press("Alt+n")
  await page.getByRole("textbox", { name: "Name" }).fill(name)
  await page.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { name }).waitFor()
  return new URL(page.url()).pathname
}

export const say = async (page: Page, text: string) => {
  await composer(page).fill(text)
  await composer(page).press("Enter")
}

export interface Sized {
  readonly scrollHeight: number
}

export const answers = (page: Page) => page.locator(".answer .prose")

export const violations = async (page: Page) => {
  const { violations: found } = await new AxeBuilder({ page }).analyze()
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

/** The page evaluates no text (CSP) but what comes from outside, and that once: what is waited for is a function. */
export const until = (page: Page, holds: string) => page.waitForFunction(`() => ${holds}`)

/** Whatever in the page holds a character that turns a line around; what somebody writes is theirs. */
export const turned = (page: Page) =>
  page.evaluate<ReadonlyArray<string>>(`(() => {
    const turns = /[\\u202a-\\u202e\\u2066-\\u2069]/
    const own = ({ childNodes, attributes }) => [
      ...Array.from(childNodes).map((node) => (node.nodeType === 3 ? node.nodeValue : "")),
      ...Array.from(attributes).map(({ value }) => value)
    ]
    return Array.from(document.querySelectorAll("body *:not(textarea)"))
      .filter((element) => own(element).some((text) => turns.test(text)))
      .map(({ outerHTML }) => outerHTML.slice(0, 160))
  })()`)

/** A page of its own, which ends with them. */
export const steps = (run: (page: Page, at: Site["Service"]) => Promise<void>, options = {}) =>
  Effect.gen(function* () {
    const at = yield* Site
    const page = yield* Effect.acquireRelease(at.page(options), (open) => Effect.promise(() => open.context().close()))
    yield* Effect.promise(() => run(page, at))
  }).pipe(Effect.scoped)
