/** What a person does on a page of the console, and what is looked for in it. */
import { AxeBuilder } from "@axe-core/playwright"
import type { Page } from "playwright-core"

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
