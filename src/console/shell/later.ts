/**
 * Parts of the page that the first screen does without. Owns: how each is loaded, and when it is fetched without being
 * asked for. Invariant: one at a time, while nothing else is done: what is clicked is there, and nobody waits for the rest.
 */
export const later = {
  workbench: () => import("./Workbench.tsx"),
  newSession: () => import("./NewSession.tsx"),
  waiting: () => import("./Waiting.tsx"),
  settings: () => import("./Settings.tsx"),
  palette: () => import("./Palette.tsx")
}

/** What an address shows is fetched beside what draws the frame around it. */
export const fetchFor = (path: string): void => {
  if (path.startsWith("/s/")) later.workbench().catch(() => {})
}

const LONGEST_MS = 2_000

/** Safari has no word for it. */
const idle = (): Promise<void> =>
  new Promise((done) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => done(), { timeout: LONGEST_MS })
    else setTimeout(done, LONGEST_MS / 4)
  })

/** Two frames on, what was drawn can be seen; a page that nobody sees has no frames. */
const painted = (): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, LONGEST_MS)
    requestAnimationFrame(() => requestAnimationFrame(() => done()))
  })

/** Once the page stands: fetched and read before its first picture, all of this would stand in its way. */
export const fetchRest = async (): Promise<void> => {
  await painted()
  for (const part of Object.values(later)) {
    await idle()
    await part().catch(() => {})
  }
}
