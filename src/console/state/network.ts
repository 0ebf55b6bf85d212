/** When a connection that looks well may be dead, or a dead one may be had again: the network is back, or somebody is. */
export const wakes = (wake: () => void): (() => void) => {
  const seen = () => {
    if (document.visibilityState === "visible") wake()
  }
  addEventListener("online", wake)
  document.addEventListener("visibilitychange", seen)
  return () => {
    removeEventListener("online", wake)
    document.removeEventListener("visibilitychange", seen)
  }
}
