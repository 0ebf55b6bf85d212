/** True from the first time on that something was wanted: what is loaded late stays, so that it can also go in its own way. */
import { useState } from "react"

export const useOnce = (wanted: boolean): boolean => {
  const [once, setOnce] = useState(wanted)
  if (wanted && !once) setOnce(true)
  return once || wanted
}
