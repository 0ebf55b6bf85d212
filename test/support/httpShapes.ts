/** Whether an answer is what the description says: the test kit looks at every one. */
import { Schema } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"
import { Api } from "../../src/server/Api.ts"
import { Problem } from "../../src/server/apiProblem.ts"

interface Described {
  readonly method: string
  readonly path: RegExp
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

const described: ReadonlyArray<Described> = (() => {
  const found: Array<Described> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const successes = new Map<number, Array<Schema.Top>>()
      for (const schema of endpoint.success) {
        const status = HttpApiSchema.getStatusSuccessSchema(schema)
        successes.set(status, [...(successes.get(status) ?? []), schema])
      }
      const path = new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, "[^/]+")}(?:\\?|$)`)
      found.push({ method: endpoint.method, path, successes })
    }
  })
  return found
})()

const decodes = (schema: Schema.Top, value: unknown): boolean => Schema.is(Schema.toType(schema as never))(value)

/** Why this answer is not one that the description has; absent: it is. */
export const strange = (method: string, path: string, status: number, json: unknown): string | undefined => {
  if (json === undefined) return undefined
  if (status >= 400) return path === "/readyz" || decodes(Problem, json) ? undefined : "not a problem"
  const endpoint = described.find((one) => one.method === method && one.path.test(path))
  if (endpoint === undefined) return "not described"
  const schemas = endpoint.successes.get(status)?.filter((schema) => !HttpApiSchema.isStreamSchema(schema)) ?? []
  return schemas.some((schema) => decodes(schema, json))
    ? undefined
    : `not what ${method} ${path} answers with ${status}`
}
