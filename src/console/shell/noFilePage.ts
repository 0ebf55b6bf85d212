/** A file that is dropped where nothing takes it changes nothing: a browser would leave the page for it. */
const withFiles = (event: DragEvent): void => {
  if (event.dataTransfer === null || !event.dataTransfer.types.includes("Files")) return
  if (!event.defaultPrevented && event.type === "dragover") event.dataTransfer.dropEffect = "none"
  event.preventDefault()
}

export const keepPage = (): void => {
  window.addEventListener("dragover", withFiles)
  window.addEventListener("drop", withFiles)
}
