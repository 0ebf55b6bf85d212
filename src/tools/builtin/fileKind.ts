/** What a file is, from its first bytes: text, an image, or something else that is not shown. Pure. */
export type FileKind =
  | { readonly kind: "text"; readonly bom: number }
  | { readonly kind: "image"; readonly format: string }
  | { readonly kind: "binary" }

export const SNIFF_BYTES = 8_192

const MAGIC: ReadonlyArray<readonly [format: string, offset: number, latin1: string]> = [
  ["PNG", 0, "\x89PNG\r\n\x1a\n"],
  ["JPEG", 0, "\xff\xd8\xff"],
  ["GIF", 0, "GIF8"],
  ["WebP", 8, "WEBP"],
  ["BMP", 0, "BM"],
  ["TIFF", 0, "II*\x00"],
  ["TIFF", 0, "MM\x00*"],
  ["AVIF", 4, "ftypavif"],
  ["HEIC", 4, "ftypheic"],
  ["ICO", 0, "\x00\x00\x01\x00"]
]

export const fileKind = (start: Uint8Array): FileKind => {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, SNIFF_BYTES))
  const latin1 = bytes.toString("latin1")
  const image = MAGIC.find(
    ([format, offset, magic]) => latin1.startsWith(magic, offset) && (format !== "BMP" || bytes.includes(0))
  )
  if (image !== undefined) return { kind: "image", format: image[0] }
  if (bytes.includes(0)) return { kind: "binary" }
  return { kind: "text", bom: latin1.startsWith("\xef\xbb\xbf") ? 3 : 0 }
}
