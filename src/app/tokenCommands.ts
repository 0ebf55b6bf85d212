/**
 * `claw token`: makes, lists and revokes API tokens, also while `claw serve` runs on the same store.
 * Owns: what the options mean and how tokens look as text and as JSON lines. Invariant: a token is printed once, by
 * `create`, on standard output and nowhere else.
 */
import { Clock, Effect, Redacted, Result, Schema } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { TokenId } from "../domain/Ids.ts"
import { localOwner, Owner, type Role, roles } from "../domain/Principal.ts"
import { LoginStore } from "../store/LoginStore.ts"
import { type ApiToken, counts, looksLikeToken, type NewToken, TokenStore } from "../store/TokenStore.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"

const DAY_MS = 86_400_000
const MOST_DAYS = 3650
const MOST_NAME = 200

const texts = {
  en: {
    usage: "claw token takes create, list, or revoke and an id.",
    user: "claw token create needs --user NAME.",
    names: "User, tenant and project are 1 to 128 letters, digits and . _ @ + -",
    name: `--name is at most ${MOST_NAME} characters.`,
    days: `--expires is a number of days from 1 to ${MOST_DAYS}.`,
    once: (id: string) => `This is shown once. To take it back: claw token revoke ${id}`,
    first:
      "The token that claw serve printed counts no longer. For the sessions of your terminal: claw token create --user local",
    none: "no tokens yet.",
    revoked: (id: string) => `${id} is revoked; its connections end within seconds.`,
    unknown: (id: string) => `There is no token ${id}. Try: claw token list`
  },
  "zh-CN": {
    usage: "claw token 接受 create、list，或 revoke 加令牌标识。",
    user: "claw token create 需要 --user NAME。",
    names: "用户、租户和项目为 1 到 128 个字母、数字及 . _ @ + -",
    name: `--name 最多 ${MOST_NAME} 个字符。`,
    days: `--expires 为 1 到 ${MOST_DAYS} 之间的天数。`,
    once: (id: string) => `令牌只显示一次。撤销：claw token revoke ${id}`,
    first: "claw serve 打印的令牌不再有效。用于你终端中的会话：claw token create --user local",
    none: "还没有令牌。",
    revoked: (id: string) => `${id} 已撤销；其连接将在数秒内断开。`,
    unknown: (id: string) => `没有令牌 ${id}。请尝试：claw token list`
  }
} satisfies Record<Locale, object>

const refuse = (detail: string) => Result.fail(new Failure({ exit: EXIT.usage, detail }))

/** What `create` is asked for, with the options' limits checked. */
const specOf = ({ values }: CommandLine, locale: Locale): Result.Result<NewToken, Failure> => {
  const text = texts[locale]
  const { user, tenant = localOwner.tenant, project = localOwner.project, role = "member", expires, name } = values
  if (user === undefined) return refuse(text.user)
  const owner = { tenant, project, user }
  if (!Schema.is(Owner)(owner)) return refuse(text.names)
  if (name !== undefined && name.length > MOST_NAME) return refuse(text.name)
  const days = expires === undefined ? undefined : Number(/^\d{1,4}$/.test(expires) ? expires : Number.NaN)
  if (days !== undefined && !(days >= 1 && days <= MOST_DAYS)) return refuse(text.days)
  return Result.succeed({
    name: name ?? user,
    owner,
    role: roles.find((known): known is Role => known === role) ?? "member",
    ...(days === undefined ? {} : { lasts_ms: days * DAY_MS })
  })
}

const create = Effect.fnUntraced(function* (line: CommandLine, locale: Locale) {
  const [tokens, output] = [yield* TokenStore, yield* Output]
  const spec = yield* Effect.fromResult(specOf(line, locale))
  const first = (yield* tokens.list).length === 0
  const { token, secret } = yield* tokens.create(spec)
  // Tokens that starts printed have come to their end, also where this one is revoked before the next start.
  yield* (yield* LoginStore).endStarts
  const text = Redacted.value(secret)
  yield* output.out(line.switches.has("json") ? `${JSON.stringify({ ...token, token: text })}\n` : `${text}\n`)
  if (line.switches.has("json")) return EXIT.done
  yield* output.err(`claw: ${texts[locale].once(token.token_id)}\n`)
  if (first && spec.owner.user !== localOwner.user) yield* output.err(`claw: ${texts[locale].first}\n`)
  return EXIT.done
})

const minute = (time: string | undefined) => (time === undefined ? "-" : time.slice(0, 16).replace("T", " "))

const stateOf = (token: ApiToken, now: number): string => {
  if (token.revoked_at !== undefined) return `revoked ${minute(token.revoked_at)}`
  if (token.expires_at === undefined) return "active"
  return `${counts(token, now) ? "until" : "expired"} ${minute(token.expires_at)}`
}

const row = (token: ApiToken, now: number): string => {
  const { token_id, tenant, project, user, role } = token
  const fields = [
    token_id,
    `${tenant}/${project}/${user}`,
    role,
    stateOf(token, now),
    `used ${minute(token.last_used_at)}`
  ]
  return `${[...fields, sanitise(token.name).replaceAll("\n", "⏎")].join("  ")}\n`
}

const list = Effect.fnUntraced(function* (json: boolean, locale: Locale) {
  const [tokens, output] = [yield* TokenStore, yield* Output]
  const [all, now] = [yield* tokens.list, yield* Clock.currentTimeMillis]
  yield* output.out(all.map((token) => (json ? `${JSON.stringify(token)}\n` : row(token, now))).join(""))
  if (all.length === 0 && !json) yield* output.err(`claw: ${texts[locale].none}\n`)
  return EXIT.done
})

const revoke = Effect.fnUntraced(function* (id: string, json: boolean, locale: Locale) {
  const [tokens, output] = [yield* TokenStore, yield* Output]
  if (!(yield* tokens.revoke(id as TokenId))) {
    return yield* new Failure({
      exit: EXIT.failed,
      detail: texts[locale].unknown(looksLikeToken(id) ? "claw_…" : sanitise(id).slice(0, 80))
    })
  }
  if (json) yield* output.out(`${JSON.stringify({ token_id: id, revoked: true })}\n`)
  else yield* output.err(`claw: ${texts[locale].revoked(id)}\n`)
  return EXIT.done
})

export const tokenCommand = (line: CommandLine, config: ConfigShape) => {
  const { locale } = config
  const json = line.switches.has("json")
  const [what = "list", id] = line.operands
  if (what === "create" && id === undefined) return Effect.provide(create(line, locale), reading(config))
  if (what === "list" && id === undefined) return Effect.provide(list(json, locale), reading(config))
  if (what === "revoke" && id !== undefined) return Effect.provide(revoke(id, json, locale), reading(config))
  return Effect.fail(new Failure({ exit: EXIT.usage, detail: texts[locale].usage }))
}
