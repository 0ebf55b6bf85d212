/** Commands that fit what was typed so far. The keys are the composer's, which keeps the focus. */
import { useWords } from "../words/useWords.ts"
import type { CommandName } from "./slash.ts"

interface MenuProps {
  readonly commands: ReadonlyArray<CommandName>
  readonly chosen: number
  readonly pick: (name: CommandName) => void
}

export const SlashMenu = ({ commands, chosen, pick }: MenuProps) => {
  const words = useWords()
  return (
    <ul
      id="slash-menu"
      className="slash-menu"
      role="listbox"
      aria-label={words.commandsLabel}
      hidden={commands.length === 0}
    >
      {commands.map((name, i) => (
        <li
          key={name}
          id={`slash-${name}`}
          role="option"
          aria-selected={i === chosen}
          // The focus stays in the text.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(name)}
        >
          <code>/{name}</code>
          <span>{words.commands[name]}</span>
        </li>
      ))}
    </ul>
  )
}
