/** How the page looks, speaks and calls; who is signed in. */
import { Menu } from "@base-ui/react/menu"
import { Check, LogOut, Settings2 } from "lucide-react"
import { useState } from "react"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { type Locale, look, setLook, type Theme } from "../state/look.ts"
import { Confirm } from "../ui/Confirm.tsx"
import { loadWords, useWords } from "../words/useWords.ts"
import { askToCall, mayCall } from "./calling.ts"

interface ChoiceProps<A extends string> {
  readonly label: string
  readonly value: A
  readonly options: ReadonlyArray<readonly [A, string]>
  readonly choose: (value: A) => void
}

const Choice = <A extends string>({ label, value, options, choose }: ChoiceProps<A>) => (
  <Menu.Group>
    <Menu.GroupLabel className="menu-label">{label}</Menu.GroupLabel>
    <Menu.RadioGroup value={value} onValueChange={(now: A) => choose(now)}>
      {options.map(([name, text]) => (
        <Menu.RadioItem key={name} value={name} className="menu-item">
          <span className="tick">
            <Menu.RadioItemIndicator>
              <Check aria-hidden size={14} />
            </Menu.RadioItemIndicator>
          </span>
          {text}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  </Menu.Group>
)

const Notifications = () => {
  const words = useWords()
  const notify = useStore(look, (view) => view.notify)
  const [refused, setRefused] = useState(false)
  const choose = async (on: boolean) => {
    const may = on && (await askToCall())
    setRefused(on && !may)
    setLook({ notify: may })
  }
  return (
    <>
      <Menu.CheckboxItem
        className="menu-item"
        // What was allowed once may have been taken back since.
        checked={notify && mayCall()}
        onCheckedChange={(on) => void choose(on)}
      >
        <span className="tick">
          <Menu.CheckboxItemIndicator>
            <Check aria-hidden size={14} />
          </Menu.CheckboxItemIndicator>
        </span>
        {words.notify}
      </Menu.CheckboxItem>
      <p className="menu-note" role="status">
        {refused ? words.notifyRefused : null}
      </p>
    </>
  )
}

const speak = (locale: Locale): void =>
  void loadWords(locale).then(
    () => setLook({ locale }),
    () => {}
  )

const Settings = () => {
  const words = useWords()
  const { theme, locale } = useStore(look)
  const [leaving, setLeaving] = useState(false)
  const me = useStore(hub.store, (view) => view.me)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="page-link">
          <Settings2 aria-hidden size={16} /> {words.settings}
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="positioner" side="top" align="start" sideOffset={6}>
            <Menu.Popup className="menu">
              <Choice<Theme>
                label={words.theme}
                value={theme}
                options={[
                  ["system", words.themes.system],
                  ["light", words.themes.light],
                  ["dark", words.themes.dark]
                ]}
                choose={(now) => setLook({ theme: now })}
              />
              <Menu.Separator className="menu-line" />
              <Choice<Locale>
                label={words.language}
                value={locale}
                options={[
                  ["en", "English"],
                  ["zh-CN", "简体中文"]
                ]}
                choose={speak}
              />
              <Menu.Separator className="menu-line" />
              <Notifications />
              <Menu.Separator className="menu-line" />
              <Menu.Item className="menu-item" onClick={() => setLeaving(true)}>
                <span className="tick">
                  <LogOut aria-hidden size={14} />
                </span>
                {words.logout(me?.principal.name ?? "")}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Confirm
        open={leaving}
        title={words.signOutTitle}
        text={words.signOutText}
        action={words.signOut}
        confirm={() => void hub.logout()}
        close={() => setLeaving(false)}
      />
    </>
  )
}

export default Settings
