/** Commands and named prompts that fit what was typed so far. The keys are the composer's, which keeps the focus. */
import { useEffect, useRef } from "react"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import type { Offer } from "./slash.ts"

interface MenuProps {
  readonly offers: ReadonlyArray<Offer>
  readonly chosen: number
  readonly pick: (offer: Offer) => void
}

const Text = ({ offer }: { readonly offer: Offer }) => {
  const words = useWords()
  if (!("prompt" in offer)) return <span>{words.commands[offer.name]}</span>
  const { description, of } = offer.prompt
  return (
    <span>
      {reveal(description)} <em className="quiet">{words.promptOf[of]}</em>
    </span>
  )
}

export const SlashMenu = ({ offers, chosen, pick }: MenuProps) => {
  const words = useWords()
  const list = useRef<HTMLUListElement>(null)
  // Newer browsers answer with a promise, which is no way to end an effect.
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" })
  }, [chosen])
  return (
    <ul
      ref={list}
      id="slash-menu"
      className="slash-menu"
      role="listbox"
      aria-label={words.commandsLabel}
      hidden={offers.length === 0}
    >
      {offers.map((offer, i) => (
        <li
          key={offer.name}
          id={`slash-${offer.name}`}
          role="option"
          aria-selected={i === chosen}
          // The focus stays in the text.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(offer)}
        >
          <code>
            /{offer.name}
            {"prompt" in offer && offer.prompt.argument !== "" ? <i> {reveal(offer.prompt.argument)}</i> : null}
          </code>
          <Text offer={offer} />
        </li>
      ))}
    </ul>
  )
}
