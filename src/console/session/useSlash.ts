/** What the keys do while a command is typed: the list has them first, then the text. Owns: what is chosen in it. */
import { useState } from "react"
import { type Offer, offered, takesWord } from "./slash.ts"
import { usePrompts } from "./usePrompts.ts"

interface Hands {
  readonly edit: (text: string) => void
  readonly submit: (text: string) => void
}

/** Something has to, or may, follow. */
const goesOn = (offer: Offer): boolean => ("prompt" in offer ? offer.prompt.argument !== "" : takesWord.has(offer.name))

export const useSlash = (draft: string, { edit, submit }: Hands) => {
  const [place, setPlace] = useState(0)
  const [closed, setClosed] = useState(false)
  const prompts = usePrompts(draft)
  const offers = closed ? [] : offered(draft, prompts)
  const chosen = Math.min(place, offers.length - 1)
  const pick = (offer: Offer, whole = false) => {
    if (whole || goesOn(offer)) edit(`/${offer.name} `)
    else submit(`/${offer.name}`)
  }
  /** True where the key was meant for the list. */
  const take = (key: string): boolean => {
    const offer = offers[chosen]
    if (offer === undefined) return false
    const moved = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (moved !== undefined) setPlace((chosen + moved + offers.length) % offers.length)
    else if (key === "Tab" || key === "Enter") pick(offer, key === "Tab" && "prompt" in offer)
    else if (key === "Escape") setClosed(true)
    else return false
    return true
  }
  const typing = () => {
    setClosed(false)
    setPlace(0)
  }
  return { offers, chosen, pick, take, typing }
}
