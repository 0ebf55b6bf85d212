/** A suggestion is for a slip of the keyboard, not for another word. */
import { assert, it } from "@effect/vitest"
import { nearest } from "../../src/domain/Nearest.ts"

const known = ["drop", "exit", "help", "mode", "sessions", "--cwd", "--json", "/resume"]

it.each([
  ["exti", "exit"],
  ["mod", "mode"],
  ["sesion", "sessions"],
  ["frob", undefined],
  ["hxxp", undefined],
  ["--jsno", "--json"],
  ["/reusme", "/resume"],
  ["--nope", undefined],
  ["--cd", "--cwd"],
  ["x".repeat(65), undefined]
])("%s: %s", (name, meant) => assert.strictEqual(nearest(name, known), meant))
