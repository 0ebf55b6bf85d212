/**
 * Contents by their names: loose objects as git keeps them, so that git finds what this writes and the other way round.
 * Owns: writing in one step, proving what is read, freshness. Invariants: what is read is what was written, or nothing; a
 * content that a new checkpoint needs is as young as that checkpoint, so that cleaning by age never takes it.
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdir, readFile, rename, unlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { deflate, inflate } from "node:zlib"
import * as Points from "../../observability/Points.ts"

const pack = promisify(deflate)
const unpack = promisify(inflate)

export interface Blobs {
  readonly put: (bytes: Uint8Array) => Promise<string>
  /** Undefined: it is gone or damaged. */
  readonly get: (name: string) => Promise<Buffer | undefined>
  /** Makes it young; false where it is not there. */
  readonly keep: (name: string) => Promise<boolean>
}

const framed = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from(`blob ${bytes.length}\0`, "latin1"), bytes])
const nameOf = (object: Buffer): string => createHash("sha1").update(object).digest("hex")
const isName = (name: string): boolean => /^[0-9a-f]{40}$/.test(name)

export const makeBlobs = (objects: string): Blobs => {
  const placeOf = (name: string) => join(objects, name.slice(0, 2), name.slice(2))

  const keep = async (name: string): Promise<boolean> => {
    if (!isName(name)) return false
    const now = new Date()
    return utimes(placeOf(name), now, now).then(
      () => true,
      () => false
    )
  }

  const put = async (bytes: Uint8Array): Promise<string> => {
    const object = framed(bytes)
    const name = nameOf(object)
    if (await keep(name)) return name
    const place = placeOf(name)
    await mkdir(join(objects, name.slice(0, 2)), { recursive: true, mode: 0o700 })
    const temporary = join(objects, `tmp_obj_${randomBytes(8).toString("hex")}`)
    try {
      await writeFile(temporary, await pack(object, { level: 1 }), { mode: 0o400, flag: "wx" })
      Points.reach("content before")
      await rename(temporary, place)
      Points.reach("content after")
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
    return name
  }

  const get = async (name: string): Promise<Buffer | undefined> => {
    if (!isName(name)) return undefined
    const object = await readFile(placeOf(name)).then(
      (packed) => unpack(packed).catch(() => undefined),
      () => undefined
    )
    if (object === undefined || nameOf(object) !== name) return undefined
    return object.subarray(object.indexOf(0) + 1)
  }

  return { put, get, keep }
}
