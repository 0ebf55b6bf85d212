/**
 * `claw grants`: what was allowed for sessions of this store, whoever's they are, and taking it back, also while other
 * processes run on it. Owns: what the operands mean and how grants look as text and as JSON lines. Invariant: a grant
 * that cannot be read is told of, and the exit code says so.
 */
import { Clock, Effect } from "effect"
import { GrantStore, inForce, type KeptGrant } from "../approval/GrantStore.ts"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { coverOf, grantLine, minute, namedGrants } from "../cli/GrantWords.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { GrantId } from "../domain/Ids.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"

const texts = {
  en: {
    usage: "claw grants takes list, or show or revoke and an id.",
    none: "nothing is granted.",
    unknown: (id: string) => `There is no grant ${id} [grant_not_found]. Try: claw grants list`,
    several: (id: string, ids: string) => `More than one grant begins with ${id}: ${ids}`,
    ended: (id: string) => `The grant ${id} has ended already [grant_not_found].`,
    damaged: (ids: ReadonlyArray<string>) =>
      `${ids.length} stored ${ids.length === 1 ? "grant cannot be read and grants" : "grants cannot be read and grant"} nothing: ${ids.join(", ")}`,
    revoked: (what: string) => `taken back: ${what}. The next call is asked about again.`,
    fields: {
      session: "session",
      workspace: "workspace",
      granted: "granted",
      uses: "used",
      state: "state",
      request: "asked as"
    },
    states: { force: "in force", revoked: "taken back", expired: "expired" }
  },
  "zh-CN": {
    usage: "claw grants 接受 list，或 show、revoke 加授权标识。",
    none: "没有授权。",
    unknown: (id: string) => `没有授权 ${id} [grant_not_found]。请尝试：claw grants list`,
    several: (id: string, ids: string) => `有多个授权以 ${id} 开头：${ids}`,
    ended: (id: string) => `授权 ${id} 已结束 [grant_not_found]。`,
    damaged: (ids: ReadonlyArray<string>) => `${ids.length} 个已保存的授权无法读取，不起作用：${ids.join(", ")}`,
    revoked: (what: string) => `已撤销：${what}。下次调用会再次询问。`,
    fields: {
      session: "会话",
      workspace: "工作区",
      granted: "授予时间",
      uses: "使用次数",
      state: "状态",
      request: "请求"
    },
    states: { force: "生效中", revoked: "已撤销", expired: "已过期" }
  }
} satisfies Record<Locale, object>

const shown = (text: string) => sanitise(text).replaceAll("\n", "⏎").slice(0, 200)
const ownerOf = ({ tenant, project, user }: KeptGrant) => `${tenant}/${project}/${user}`
const flat = ({ grant, ...kept }: KeptGrant) => ({ ...grant, ...kept })

const damage = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, locale: Locale) {
  if (ids.length === 0) return EXIT.done
  yield* (yield* Output).err(`claw: ${texts[locale].damaged(ids.map(shown))}\n`)
  return EXIT.failed
})

const list = Effect.fnUntraced(function* (json: boolean, locale: Locale) {
  const [{ everyone }, output] = [yield* GrantStore, yield* Output]
  const damaged: Array<string> = []
  let count = 0
  for (let page = yield* everyone.page(); ; page = yield* everyone.page({ after: page.next })) {
    count += page.grants.length
    damaged.push(...page.damaged)
    const lines = page.grants.map((kept) =>
      json ? JSON.stringify(flat(kept)) : `${grantLine(kept.grant, locale)}  ${shown(kept.session_id)} ${ownerOf(kept)}`
    )
    if (!(yield* output.out(lines.map((line) => `${line}\n`).join("")))) break
    if (page.next === undefined) break
  }
  if (count === 0 && !json) yield* output.err(`claw: ${texts[locale].none}\n`)
  return yield* damage(damaged, locale)
})

/** Every grant whose id begins so; a whole id is looked up and not searched for. */
const searched = Effect.fnUntraced(function* (id: string) {
  const { everyone } = yield* GrantStore
  const found: Array<KeptGrant> = []
  for (let page = yield* everyone.page(); ; page = yield* everyone.page({ after: page.next })) {
    const named = namedGrants(
      id,
      page.grants.map(({ grant }) => grant)
    )
    found.push(...page.grants.filter(({ grant }) => named.includes(grant)))
    if (page.next === undefined) return found
  }
})

const find = Effect.fnUntraced(function* (id: string, locale: Locale) {
  const whole = yield* (yield* GrantStore).everyone.find(id as GrantId)
  const some = whole === undefined ? yield* searched(id) : []
  if (some.length > 1) {
    const ids = some.map(({ grant }) => shown(grant.grant_id)).join(", ")
    return yield* new Failure({ exit: EXIT.failed, detail: texts[locale].several(shown(id), ids) })
  }
  const found = whole ?? some[0]
  const detail =
    found === undefined
      ? texts[locale].unknown(shown(id))
      : found === "damaged"
        ? texts[locale].damaged([shown(id)])
        : ""
  return found === undefined || found === "damaged" ? yield* new Failure({ exit: EXIT.failed, detail }) : found
})

const show = Effect.fnUntraced(function* (id: string, json: boolean, locale: Locale) {
  const kept = yield* find(id, locale)
  const now = yield* Clock.currentTimeMillis
  const { fields, states } = texts[locale]
  const { grant, revoked_at, revoked_by = "-", last_used_at } = kept
  const state = inForce(kept, now)
    ? states.force
    : revoked_at === undefined
      ? states.expired
      : `${states.revoked} ${minute(revoked_at)} (${shown(revoked_by)})`
  const rows = [
    [fields.session, `${shown(kept.session_id)} (${ownerOf(kept)})`],
    [fields.workspace, shown(grant.workspace)],
    [fields.granted, `${minute(grant.created_at)} (${shown(grant.by ?? "-")})`],
    [fields.uses, `${kept.uses}${last_used_at === undefined ? "" : ` (${minute(last_used_at)})`}`],
    [fields.state, state],
    [fields.request, shown(grant.request_id ?? "-")]
  ]
  const text = [grantLine(grant, locale), ...rows.map(([name, value]) => `  ${name}: ${value}`)]
  yield* (yield* Output).out(json ? `${JSON.stringify(flat(kept))}\n` : `${text.join("\n")}\n`)
  return EXIT.done
})

const revoke = Effect.fnUntraced(function* (id: string, json: boolean, locale: Locale) {
  const [{ everyone }, output] = [yield* GrantStore, yield* Output]
  const kept = yield* find(id, locale)
  if (!(yield* everyone.revoke(kept.grant.grant_id, "claw grants")))
    return yield* new Failure({ exit: EXIT.failed, detail: texts[locale].ended(shown(id)) })
  const { grant_id } = kept.grant
  if (json) yield* output.out(`${JSON.stringify({ grant_id, revoked: true })}\n`)
  else yield* output.err(`claw: ${texts[locale].revoked(coverOf(kept.grant, locale))}\n`)
  return EXIT.done
})

export const grantCommand = (line: CommandLine, config: ConfigShape) => {
  const { locale } = config
  const json = line.switches.has("json")
  const [what = "list", id] = line.operands
  if (what === "list" && id === undefined) return Effect.provide(list(json, locale), reading(config))
  if (what === "show" && id !== undefined) return Effect.provide(show(id, json, locale), reading(config))
  if (what === "revoke" && id !== undefined) return Effect.provide(revoke(id, json, locale), reading(config))
  return Effect.fail(new Failure({ exit: EXIT.usage, detail: texts[locale].usage }))
}
