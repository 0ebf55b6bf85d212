/**
 * How soon a page that was never seen before has something in it, in a browser that nobody looks into meanwhile: a
 * debugger that is attached, and what it puts into the page, costs a hundred milliseconds and more. Owns: a browser of its
 * own, and its end. A page of nothing but a word, from a server that does nothing else, is asked for in turn with claw's:
 * it is what the browser itself takes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quantile, sleep } from "../bench/samples.ts"
import { ask, pageOf } from "../benchServer/inspector.ts"
import { freePort } from "../benchServer/served.ts"

/** Longer than a page takes. Nobody asks it meanwhile. */
const LEFT_ALONE_MS = 4000

const READ = `JSON.stringify([performance.getEntriesByName("first-contentful-paint")[0]?.startTime, document.body.innerText])`

export interface Shown {
  readonly url: string
  readonly text: string
}

interface Target {
  readonly id: string
  readonly type: string
  readonly webSocketDebuggerUrl: string
}

const targets = async (port: number): Promise<ReadonlyArray<Target>> => {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
  return (await answer.json()) as ReadonlyArray<Target>
}

/** From the start of the navigation, milliseconds. Only where it took longer than it was left alone it is asked again. */
const read = async (target: Target | undefined, text: string): Promise<number> => {
  for (let tries = 0; tries < 20; tries++) {
    const { result } = (await ask(target?.webSocketDebuggerUrl ?? "", "Runtime.evaluate", {
      expression: READ,
      returnByValue: true
    })) as { readonly result: { readonly value: string } }
    const [ms, shown] = JSON.parse(result.value) as readonly [number | null, string]
    if (ms !== null && shown.includes(text)) return ms
    await sleep(1000)
  }
  throw new Error(`the page does not show "${text}"`)
}

const withBrowser = async <A>(program: string, url: string, use: (port: number) => Promise<A>): Promise<A> => {
  const [profile, port] = [mkdtempSync(join(tmpdir(), "claw-bench-chromium-")), await freePort()]
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
  const argv = [...flags, `--user-data-dir=${profile}`, `--remote-debugging-port=${port}`, url]
  const browser: ChildProcess = spawn(program, argv, { stdio: "ignore" })
  const ended = once(browser, "exit")
  try {
    await sleep(LEFT_ALONE_MS)
    return await use(port)
  } finally {
    browser.kill()
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

const firstOf = (program: string, { url, text }: Shown): Promise<number> =>
  withBrowser(program, url, async (port) =>
    read(
      (await targets(port)).find(({ type }) => type === "page"),
      text
    )
  )

/** A profile of its own each time: nothing is cached. */
const oneMore = async (port: number, { url, text }: Shown): Promise<number> => {
  const browser = await pageOf(port, "version")
  const { browserContextId } = (await ask(browser, "Target.createBrowserContext")) as Record<string, string>
  const { targetId } = (await ask(browser, "Target.createTarget", { url, browserContextId })) as Record<string, string>
  await sleep(LEFT_ALONE_MS)
  const ms = await read(
    (await targets(port)).find(({ id }) => id === targetId),
    text
  )
  await ask(browser, "Target.disposeBrowserContext", { browserContextId })
  return ms
}

const alternating = (program: string, pages: ReadonlyArray<Shown>, times: number): Promise<Array<Array<number>>> =>
  withBrowser(program, "about:blank", async (port) => {
    const taken = pages.map((): Array<number> => [])
    for (let i = 0; i < times; i++) for (const [at, page] of pages.entries()) taken[at]?.push(await oneMore(port, page))
    return taken
  })

const word = async () => {
  const server = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html")
    answer.end("<!doctype html><title>word</title><body>word</body>")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, page: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, text: "word" } }
}

/** What, milliseconds, and the most it may take. */
export type Opened = readonly [what: string, ms: number, must: "1000" | ""]

export const firstPictures = async (program: string, page: Shown): Promise<ReadonlyArray<Opened>> => {
  const TIMES = 7
  const { server, page: plain } = await word()
  try {
    const [words = [], pages = []] = await alternating(program, [plain, page], TIMES)
    return [
      [`a page of one word, median of ${TIMES}`, quantile(words, 0.5), ""],
      [`first page, nothing cached, median of ${TIMES}`, quantile(pages, 0.5), "1000"],
      ["the slowest of them", Math.max(...pages), "1000"],
      ["a page of one word as the first of a browser just started", await firstOf(program, plain), ""],
      ["first page of a browser just started", await firstOf(program, page), "1000"]
    ]
  } finally {
    server.close()
  }
}
