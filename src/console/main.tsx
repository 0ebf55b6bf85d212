/** Where the console begins: the token of the address becomes a cookie, then the page is drawn. */
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { api } from "./net/api.ts"
import { App } from "./shell/App.tsx"
import { keepPage } from "./shell/noFilePage.ts"
import { tokenOf } from "./shell/route.ts"
import { watchPage } from "./state/frames.ts"
import { beginLook, look } from "./state/look.ts"
import { Boundary } from "./ui/Boundary.tsx"
import { loadWords } from "./words/useWords.ts"
import "./style/tokens.css"
import "./style/base.css"
import "./style/shell.css"
import "./style/session.css"
import "./style/approval.css"
import "./style/prose.css"
import "./style/inspect.css"
import "./style/work.css"

const signIn = async (): Promise<void> => {
  const token = tokenOf(location.hash)
  if (token === undefined) return
  // Gone from the address before anything else happens: no history and no copied link holds it.
  history.replaceState(null, "", location.pathname + location.search)
  // Where it is refused the page asks for another one.
  await api.login(decodeURIComponent(token)).catch(() => {})
}

beginLook()
keepPage()
watchPage()
await Promise.all([signIn(), loadWords(look.getState().locale).catch(() => {})])

const root = document.querySelector("#root")
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Boundary>
        <App />
      </Boundary>
    </StrictMode>
  )
