/** Where the console is drawn. */
import { asked } from "./begin.ts"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./shell/App.tsx"
import { keepPage } from "./shell/noFilePage.ts"
import { watchPage } from "./state/frames.ts"
import { hub } from "./state/hub.ts"
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

beginLook()
keepPage()
watchPage()
void hub.begin(asked)
const draw = (): void => {
  const root = document.querySelector("#root")
  if (root === null) return
  createRoot(root).render(
    <StrictMode>
      <Boundary>
        <App />
      </Boundary>
    </StrictMode>
  )
}

// No file may wait for this one to be done while this one waits for it: a language's words use what stands here.
loadWords(look.getState().locale).then(draw, draw)
