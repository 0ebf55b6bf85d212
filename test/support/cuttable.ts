/** The network between a page and its server, in the hands of a test. */
import type { Page } from "playwright-core"

/** Cuts a page's sockets, and lets it have new ones. */
export const cuttable = async (page: Page) => {
  const open = new Set<() => void>()
  const net = { cut: false, opened: 0 }
  await page.routeWebSocket(/\/ws$/, (socket) => {
    net.opened++
    if (net.cut) return void socket.close()
    const server = socket.connectToServer()
    open.add(() => {
      void socket.close({ code: 1011 })
      void server.close()
    })
  })
  return {
    opened: () => net.opened,
    cut: () => {
      net.cut = true
      for (const end of open) end()
      open.clear()
    },
    mend: () => (net.cut = false)
  }
}
