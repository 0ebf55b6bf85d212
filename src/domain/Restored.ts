/**
 * What a model is told when somebody took back, or gave back, what one of its tasks did to the files. Without it, it
 * would go on from files that are no longer there. Owns: that text; it is stored nowhere and made of the fact.
 */
import type { Durable } from "./Event.ts"

const what = {
  undo: "put files back to what they were before an earlier task of yours changed them",
  redo: "gave files back the changes of an earlier task of yours that had been undone"
}

/** A file's name decides nothing about the sentence around it. */
const listed = (paths: ReadonlyArray<string>, more: number): string =>
  [...paths.map((path) => `- ${JSON.stringify(path)}`), ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")

export const restoredNote = ({ direction, files, count, kept }: Durable<"files_restored">): string =>
  [
    `[Note from claw, not from the user] The user ${what[direction]}. Read a file again before you rely on it.`,
    listed(files, count - files.length),
    ...(kept.length === 0
      ? []
      : [
          "Left as they are, since they were changed meanwhile or cannot be restored:",
          listed(
            kept.map(({ path }) => path),
            0
          )
        ])
  ].join("\n")
