/** Names under which secrets lie in a workspace, and names beside them under which none do (SECURITY T6). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { secretFiles } from "../../src/sandbox/SecretFiles.ts"
import { dir } from "../support/workspaceDir.ts"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const SECRET =
  words(`.env .env.local .env~ .env.swp ..env.swp .env-prod .env_prod prod.env deploy/staging.env .envrc .flaskenv
  .dev.vars .netrc .pgpass .my.cnf .htpasswd id_rsa keys/id_ed25519 id_rsa.bak id_ecdsa_sk a.p12 a.pfx a.jks release.keystore a.kdbx a.ppk
  .ssh/deploy .aws/credentials .aws/config .kube/config kubeconfig .docker/config.json credentials.json service-account.json
  service_account-prod.json config/master.key terraform.tfstate terraform.tfstate.backup prod.tfvars .cargo/credentials.toml
  .gem/credentials .git/credentials .config/gh/hosts.yml .streamlit/secrets.toml KUBECONFIG`)
const PLAIN =
  words(`.env.example .env.sample .env.dist example.env template.env .envrc.example env.ts .env.d.ts src/env.json
  id_rsa.pub .ssh/config .ssh/known_hosts .ssh/a.pub .docker/Dockerfile terraform.tfvars.example main.tf credentials.ts
  docs/credentials.md src/auth.ts service-account.ts keys.md a.keys.ts vite-env.d.ts environment.yml missing.pem missing.key`)
const CONTENT = [
  ["a.pem", "-----BEGIN RSA PRIVATE KEY-----\n", true],
  ["both.pem", "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n", true],
  ["ca.pem", "-----BEGIN CERTIFICATE-----\nMII\n", false],
  ["public.pem", "-----BEGIN PUBLIC KEY-----\n", false],
  ["tls.key", "-----BEGIN EC PRIVATE KEY-----\n", true],
  ["app.key", "0123456789abcdef", true],
  ["auth.json", '{"github-oauth":{"github.com":"x"}}', true],
  ["fixtures/auth.json", '{"users":[]}', false]
] as const

it.effect("keys, tokens and environments count by name, place or content, and nothing beside them", () =>
  Effect.gen(function* () {
    const there = yield* dir
    const { has } = secretFiles([])
    assert.deepStrictEqual(
      SECRET.filter((name) => !has(`${there.ws}/${name}`)),
      []
    )
    assert.deepStrictEqual(
      PLAIN.filter((name) => has(`${there.ws}/${name}`)),
      []
    )
    for (const [name, text, secret] of CONTENT) {
      there.file(`ws/${name}`, text)
      assert.strictEqual(has(`${there.ws}/${name}`), secret, name)
    }
  })
)
