/** The few looks of the terminal. Whether colour is wanted is the caller's word, never a guess about a stream. */
import { styleText } from "node:util"

export type Look = "dim" | "bold" | "italic" | "underline" | "strikethrough" | "red" | "green" | "yellow" | "cyan"

/** Text in the given looks; unchanged without colour or looks. Each call closes what it opens. */
export const styled = (text: string, looks: ReadonlyArray<Look>, color: boolean): string =>
  color && text !== "" && looks.length > 0 ? styleText([...looks], text, { validateStream: false }) : text

const look =
  (name: Look) =>
  (text: string, color: boolean): string =>
    styled(text, [name], color)

export const dim = look("dim")
export const bold = look("bold")
export const red = look("red")
export const green = look("green")
export const yellow = look("yellow")
export const cyan = look("cyan")
