/** What a person at the page feels: a key until it is painted, and how long the page is busy at a stretch. */
import type { Browser, Page } from "playwright-core"

interface Felt {
  readonly keys: Array<number>
  readonly tasks: Array<number>
}

/** Runs in the page. */
const WATCH = `
  window.felt = { keys: [], tasks: [] }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.felt.tasks.push(duration)
  }).observe({ type: "longtask" })
  addEventListener("keydown", ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => window.felt.keys.push(performance.now() - timeStamp)
      port2.postMessage(0)
    })
  }, true)
`

/** A page of its own, watched from its first script on. */
export const watchKeys = async (browser: Browser, url: string): Promise<Page> => {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } })
  await context.addInitScript(WATCH)
  const page = await context.newPage()
  await page.goto(url)
  await page.locator(".shell").waitFor()
  return page
}

/** What was felt since it was asked last, milliseconds. */
export const felt = (page: Page): Promise<Felt> =>
  page.evaluate("(() => { const now = window.felt; window.felt = { keys: [], tasks: [] }; return now })()")
