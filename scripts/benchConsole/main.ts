/**
 * `npm run bench:console [-- --program FILE]`: the built console in Chromium, on a `claw serve` of its own, while models
 * write Markdown: how long a key takes until it is painted, how long the page is busy at a stretch, how soon a session of
 * ten thousand items is there. Owns: what is opened and when. The machine's own share shows in `quiet`: the same keys
 * while nobody writes.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Browser, chromium, type Page } from "playwright-core"
import { quantile, sleep } from "../bench/samples.ts"
import { startServer } from "../bench/serverControl.ts"
import { columned, number } from "../bench/table.ts"
import { PROGRAM, type Served, startServed } from "../benchServer/served.ts"
import { BIG, bigSession } from "./bigSession.ts"
import { felt, watchKeys } from "./felt.ts"
import { firstPictures, type Opened } from "./firstPicture.ts"
import { optionsOf } from "../options.ts"

const options = optionsOf("bench:console", {
  program: { type: "string", default: PROGRAM },
  chromium: { type: "string", default: process.env["CHROMIUM"] ?? "/usr/bin/chromium" },
  seconds: { type: "string", default: "10" }
})

interface Row {
  readonly what: string
  readonly keys: ReadonlyArray<number>
  readonly tasks: ReadonlyArray<number>
}

const composer = (page: Page) => page.getByRole("combobox", { name: "Message" })

/** Types for so many seconds, a key every 90 ms. */
const typed = async (page: Page, seconds: number, what: string): Promise<Row> => {
  await composer(page).click()
  await felt(page)
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    await page.keyboard.press("a")
    await sleep(60 + Math.random() * 60)
  }
  return { what, ...(await felt(page)) }
}

const create = async (page: Page, name: string): Promise<void> => {
  await page.keyboard.press("Alt+n")
  await page.getByRole("textbox", { name: "Name" }).fill(name)
  await page.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { name, exact: true }).waitFor()
}

/** A new session whose model writes a word every `interval` milliseconds until the page goes. */
const writing = async (page: Page, name: string): Promise<void> => {
  await create(page, name)
  await composer(page).fill("go")
  await composer(page).press("Enter")
  await page.locator(".answer .prose").first().waitFor()
}

const streams = async (browser: Browser, program: string, interval: number, count: number, seconds: number) => {
  const model = await startServer()
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`, OPENAI_API_KEY: "sk-bench", CLAW_LANG: "en" }
  const server = await startServed({ program, env: { ...env, CLAW_MODEL: `prose:interval=${interval}` } })
  const page = await watchKeys(browser, server.ready.http.url)
  try {
    await create(page, "Quiet")
    const quiet = await typed(page, seconds, `quiet, before ${count} at ${1000 / interval}/s`)
    for (let i = 0; i < count; i++) await writing(page, `Session ${i}`)
    const rows = [quiet, await typed(page, seconds, `${count} sessions at ${1000 / interval} deltas/s`)]
    await sleep(15_000)
    return [...rows, await typed(page, seconds, "the same, when they have grown")]
  } finally {
    await page.context().close()
    await server.stop()
    await model.stop()
  }
}

const imported = async (server: Served, program: string, text: string): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), "claw-bench-console-"))
  const file = join(home, "big.json")
  writeFileSync(file, text)
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, CLAW_STATE_DIR: server.state }
  await promisify(execFile)(process.execPath, [program, "sessions", "import", file], { env, cwd: server.workspace })
  rmSync(home, { recursive: true })
}

/** Milliseconds from asking for the page to what a person reads. */
const opening = async (browser: Browser, program: string): Promise<ReadonlyArray<Opened>> => {
  const server = await startServed({ program, args: ["--no-auth", "--provider", "demo"] })
  try {
    await imported(server, program, bigSession())
    const context = await browser.newContext({ locale: "en-US" })
    const page = await context.newPage()
    const times: Array<Opened> = []
    const timed = async (what: string, path: string, text: string) => {
      const begun = performance.now()
      await page.goto(`${server.ready.http.url}${path}`)
      await page.getByText(text).first().waitFor()
      times.push([what, performance.now() - begun, "1000"])
    }
    times.push(...(await firstPictures(options.chromium, { url: `${server.ready.http.url}/`, text: "New session" })))
    await page.goto(server.ready.http.url)
    await page.getByText("New session").first().waitFor()
    await timed("first page again", "/", "New session")
    for (const _ of [1, 2, 3]) await timed("10,000 items by link", `/s/${BIG}`, "answer 2499")
    await page.goto(server.ready.http.url)
    await page.getByRole("link", { name: /Big/ }).waitFor()
    await sleep(1000)
    const begun = performance.now()
    await page.getByRole("link", { name: /Big/ }).click()
    await page.getByText("answer 2499").first().waitFor()
    times.push(["10,000 items from the list", performance.now() - begun, "1000"])
    await context.close()
    return times
  } finally {
    await server.stop()
  }
}

const browser = await chromium.launch({ executablePath: options.chromium, args: ["--no-sandbox", "--disable-gpu"] })
try {
  const seconds = Number(options.seconds)
  const opened = await opening(browser, options.program)
  console.log(
    `${columned([["opening", "ms", "to reach"], ...opened.map(([what, ms, must]) => [what, number(ms), must])], [1, 2])}\n`
  )
  const rows = [
    ...(await streams(browser, options.program, 5, 1, seconds)),
    ...(await streams(browser, options.program, 50, 20, seconds))
  ]
  const cells = rows.map(({ what, keys, tasks }) => [
    what,
    number(quantile(keys, 0.5)),
    number(quantile(keys, 0.95)),
    number(Math.max(0, ...tasks)),
    String(tasks.filter((ms) => ms > 100).length)
  ])
  console.log(
    columned([["typing while", "key p50 ms", "p95 (50)", "longest task (100)", "tasks > 100 ms"], ...cells], [1, 4])
  )
} finally {
  await browser.close()
}
