/** Scenes of the console in a browser: what a session works with (issue 7). Run by test/console/browser.test.ts. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import type { Site } from "./consoleKit.ts"
import { answers, composer, create, say, violations } from "./consolePage.ts"

type Scene = (page: Page, at: Site["Service"]) => Promise<void>

export const promptsAndLimits: Scene = async (page, at) => {
  await page.goto(at.url)
  await create(page, "Words")
  await composer(page).fill("/gre")
  await page.getByRole("option", { name: "/greet NAME" }).waitFor()
  await composer(page).press("Enter")
  await composer(page).pressSequentially("Ann")
  await composer(page).press("Enter")
  await answers(page).getByText("hello Ann, welcome").waitFor()
  assert.strictEqual(await page.locator(".prompt > p").innerText(), "say hello Ann, welcome")
  await say(page, "/nonsense and more")
  await page.getByRole("alert").getByText("There is no command /nonsense").waitFor()
  assert.strictEqual(await composer(page).inputValue(), "/nonsense and more")
  await say(page, "/budget session 1 tokens")
  await page.getByRole("button", { name: "0 tokens left" }).waitFor()
  await say(page, "say more")
  const end = page.locator(".end.failed")
  await end.getByText("budget_exceeded").waitFor()
  await end.getByRole("spinbutton").fill("100000")
  await end.getByRole("button", { name: "Raise the limit" }).click()
  await end.getByText("100000 tokens from the next task on").waitFor()
  await end.getByRole("button", { name: "Go on" }).click()
  await answers(page).getByText("on where you stopped.").waitFor()
}

export const subagentsAndUndo: Scene = async (page, at) => {
  await page.goto(at.url)
  await create(page, "Birds")
  await say(page, "three birds")
  const card = page.locator(".conversation .approval[data-settled=true]")
  await card.getByText("Asked by the subagent stork.").waitFor()
  assert.deepStrictEqual(await page.locator(".call-head .subject").allInnerTexts(), ["heron", "crane", "stork"])
  await card.getByRole("button", { name: "Allow once" }).click()
  await answers(page).getByText("all three").waitFor()
  assert.strictEqual(await page.locator(".prompt").count(), 1)
  const undo = page.locator(".undo")
  await undo.getByText("1 file changed").waitFor()
  await undo.getByRole("button", { name: "Undo" }).click()
  await undo.getByRole("button", { name: "Redo" }).waitFor()
  await page.getByText("Undone: 1 file").waitFor()
  await page.getByRole("button", { name: /stork/ }).first().click()
  await page.locator(".inside .call-head").getByText("touch stork.txt").waitFor()
  await page.locator(".inside .order").getByText("run touch stork.txt").waitFor()
}

/** A token that is none, typed or in a link. */
const spentLinks = async (page: Page, url: string) => {
  await page.getByLabel("Token").fill("wrong")
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("alert").getByText("not known here").waitFor()
  for (const token of ["spent", "%"]) {
    await page.goto("about:blank")
    await page.goto(`${new URL(url).origin}/#token=${token}`)
    await page.getByRole("alert").getByText("not known here").waitFor()
  }
}

export const ideas = async (page: Page, at: { readonly url: string }) => {
  await page.goto(at.url)
  await create(page, "Ideas")
  await page.getByRole("button", { name: "Fix the failing test." }).click()
  await page.waitForFunction("document.activeElement === document.querySelector('.composer textarea')")
  const said = page.locator(".empty > p")
  await said.getByText("Nothing is changed before you allow it.").waitFor()
  await page.getByRole("combobox", { name: "Mode" }).selectOption("accept-edits")
  await said.getByText("Edits of files pass, commands ask.").waitFor()
  assert.notInclude(await said.innerText(), "Nothing is changed")
}

/** 390 px wide, in a browser that asks for Chinese. */
export const inChinese: Scene = async (page, at) => {
  await page.goto(at.url)
  await page.locator("#main").getByRole("button", { name: "新建会话" }).click()
  await page.getByRole("textbox", { name: "名称" }).fill("苍鹭")
  await page.getByRole("button", { name: "创建" }).click()
  await page.getByRole("heading", { name: "苍鹭" }).waitFor()
  assert.strictEqual(await page.evaluate("document.documentElement.lang"), "zh-CN")
  assert.deepStrictEqual(await violations(page), [])
  assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth"), 390)
}

export const signingIn: Scene = async (page, at) => {
  await page.goto(at.url)
  await page.locator(".shell").waitFor()
  assert.notInclude(page.url(), "token")
  await page.context().clearCookies()
  await page.reload()
  await spentLinks(page, at.url)
}
