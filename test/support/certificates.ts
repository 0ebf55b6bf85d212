/** Certificates for 127.0.0.1 in files, made for one test. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { generate } from "selfsigned"
import { folder } from "./realSession.ts"

export interface Pems {
  readonly cert: string
  readonly private: string
}

export const certificate = (name: string): Effect.Effect<Pems> =>
  Effect.promise(() =>
    generate([{ name: "commonName", value: name }], {
      keySize: 2048,
      algorithm: "sha256",
      extensions: [
        {
          name: "subjectAltName",
          altNames: [
            { type: 7, ip: "127.0.0.1" },
            { type: 2, value: "localhost" }
          ]
        }
      ]
    })
  )

/** The two files of a server; `put` replaces their content. */
export const certificateFiles = Effect.gen(function* () {
  const at = yield* folder("claw-tls-")
  const [tls_cert, tls_key] = [join(at, "cert.pem"), join(at, "key.pem")]
  const put = ({ cert, private: key }: Pems) =>
    Effect.sync(() => {
      writeFileSync(tls_cert, cert)
      writeFileSync(tls_key, key)
    })
  return { tls_cert, tls_key, put }
})
