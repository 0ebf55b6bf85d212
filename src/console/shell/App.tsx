/** The page: who is signed in, the list, and whatever stands beside it. */
import { CSPProvider } from "@base-ui/react/csp-provider"
import { lazy, Suspense, useEffect, useState } from "react"
import { useStore } from "zustand"
import { Redirect, Route, Switch, useLocation } from "wouter"
import { toEndOf } from "../session/ends.ts"
import { wantQuestion } from "../session/useFollow.ts"
import { hub } from "../state/hub.ts"
import { Boundary } from "../ui/Boundary.tsx"
import { useOnce } from "../ui/useOnce.ts"
import { useWords } from "../words/useWords.ts"
import { fetchRest, later } from "./later.ts"
import { Login } from "./Login.tsx"
import { Notifier } from "./Notifier.tsx"
import { idsOf, sessionsPath } from "./route.ts"
import { Sidebar } from "./Sidebar.tsx"
import { Start } from "./Start.tsx"
import { useKeys } from "./useKeys.ts"

const UsagePage = lazy(() => import("../inspect/UsagePage.tsx"))
const AuditPage = lazy(() => import("../inspect/AuditPage.tsx"))
const Palette = lazy(later.palette)
const Workbench = lazy(later.workbench)
const NewSession = lazy(later.newSession)

const Pages = ({ newSession }: { readonly newSession: () => void }) => (
  <Suspense fallback={<div className="empty" />}>
    <Switch>
      <Route path="/">
        <Start newSession={newSession} />
      </Route>
      <Route path="/s/:ids">
        <Workbench newSession={newSession} />
      </Route>
      <Route path="/usage">
        <UsagePage />
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route>
        <Redirect to="/" />
      </Route>
    </Switch>
  </Suspense>
)

const SignedIn = () => {
  const [path, go] = useLocation()
  const words = useWords()
  const [making, setMaking] = useState(false)
  const [palette, setPalette] = useState(false)
  const [drawer, setDrawer] = useState(false)
  const newSession = () => setMaking(true)
  const made = useOnce(making)
  useEffect(() => void fetchRest(), [])
  const elsewhere = () => {
    const [first] = hub.store.getState().waiting
    if (first === undefined) return
    wantQuestion(first.request.request_id)
    if (idsOf(path).includes(first.session_id)) toEndOf(first.session_id)
    else go(sessionsPath([first.session_id]))
  }
  useKeys({ palette: () => setPalette(true), newSession, elsewhere })
  return (
    <div className="shell" data-drawer={drawer}>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <Sidebar newSession={newSession} openPalette={() => setPalette(true)} drawer={drawer} setDrawer={setDrawer} />
      <main id="main" className="main" tabIndex={-1}>
        <Boundary where={path}>
          <Pages newSession={newSession} />
        </Boundary>
      </main>
      {made ? (
        <Suspense fallback={null}>
          <NewSession open={making} close={() => setMaking(false)} />
        </Suspense>
      ) : null}
      {palette ? (
        <Suspense fallback={null}>
          <Palette close={() => setPalette(false)} newSession={newSession} />
        </Suspense>
      ) : null}
      <Notifier />
    </div>
  )
}

export const App = () => {
  const words = useWords()
  const signedIn = useStore(hub.store, (view) => view.signedIn)
  const unreachable = useStore(hub.store, (view) => view.unreachable)
  return (
    <CSPProvider disableStyleElements>
      {signedIn === "yes" ? <SignedIn /> : null}
      {signedIn === "no" ? <Login /> : null}
      {signedIn === "asking" && unreachable ? (
        <p className="unreachable" role="status">
          {words.unreachable}
        </p>
      ) : null}
    </CSPProvider>
  )
}
