/**
 * The browser's own calls to somebody who looks elsewhere. Owns: whether it lets itself be asked for them. Invariant: a
 * browser that has none, refuses them, or leaves them to other programs than pages (on phones) changes nothing else.
 */
export const mayCall = (): boolean => typeof Notification !== "undefined" && Notification.permission === "granted"

/** Asking is only allowed where somebody has just clicked. */
export const askToCall = async (): Promise<boolean> => {
  if (typeof Notification === "undefined") return false
  try {
    return (await Notification.requestPermission()) === "granted"
  } catch {
    return false
  }
}

interface Call {
  readonly title: string
  readonly body: string
  /** The same call from two pages is one. */
  readonly tag: string
}

export const callFor = ({ title, body, tag }: Call, clicked: () => void): void => {
  if (!mayCall()) return
  try {
    new Notification(title, { body, tag }).addEventListener("click", clicked)
  } catch {
    // The title of the page tells it as well.
  }
}
