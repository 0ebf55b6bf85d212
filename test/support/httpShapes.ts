/** Whether an answer is what the description says: the test kit looks at every one. */
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/server/Api.ts"
import { Problem } from "../../src/server/apiProblem.ts"

interface Described {
  readonly method: string
  readonly path: RegExp
  readonly successes: ReadonlySet<Schema.Top>
}

const described: ReadonlyArray<Described> = (() => {
  const found: Array<Described> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path, success } }) =>
      void found.push({
        method,
        path: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}(?:\\?|$)`),
        successes: success
      })
  })
  return found
})()

const fits = (schema: Schema.Top, value: unknown): boolean => Schema.is(Schema.toType(schema as never))(value)

/** Why this answer is not one that the description has; absent: it is. */
export const strange = (method: string, path: string, status: number, json: unknown): string | undefined => {
  if (json === undefined) return "not JSON"
  if (status >= 400) return path === "/readyz" || fits(Problem, json) ? undefined : "not a problem"
  const endpoint = described.find((one) => one.method === method && one.path.test(path))
  const fitting = Array.from(endpoint?.successes ?? []).some((schema) => fits(schema, json))
  return fitting ? undefined : `not what ${method} ${path} answers`
}
