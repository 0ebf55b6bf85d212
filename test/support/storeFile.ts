/** A store's file as it lies on the disk: who may read it, and what stands in it behind claw's back. */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"

export const mode = (file: string): number => statSync(file).mode & 0o777

export const sql = (file: string, statements: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    db.exec(statements)
    db.close()
  })
