/**
 * What runs commands here, and what is refused without isolation. Owns: which driver, and the sentences.
 * Invariants: a server whose commands must be isolated does not start without; mode `bypass` needs isolation in force
 * or the person's own word for this run (CLAW_ALLOW_UNSAFE=1), and what is denied stays denied (issue 4).
 */
import { dirname } from "node:path"
import { Effect, Layer } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import * as Bubblewrap from "../sandbox/bubblewrap/Bubblewrap.ts"
import { Isolation, layerOff } from "../sandbox/Isolation.ts"
import * as ProcessRunner from "../sandbox/ProcessRunner.ts"
import { Failure } from "./failure.ts"

/** The directory of the user's file, where it is claw's own. */
const ofConfig = (file: string): ReadonlyArray<string> =>
  /\/\.?claw\/[^/]+$/.test(file) ? [file, dirname(file)] : [file]

const own = ({
  config_dir,
  files,
  movedSecrets,
  server,
  state_dir
}: ConfigShape): Bubblewrap.BubblewrapOptions["own"] => [
  state_dir,
  ...new Set([...ofConfig(files.user), config_dir]),
  ...(server.tls_key === undefined ? [] : [server.tls_key]),
  ...movedSecrets
]

/** The runner of commands and what is known of its isolation. */
export const processes = (config: ConfigShape) => {
  const { childEnvironment: environment, isolation: settings } = config
  return settings.mode === "off"
    ? Layer.merge(ProcessRunner.layer({ environment }), layerOff("isolation is switched off (isolation.mode)"))
    : Bubblewrap.layer({ environment, settings, own: own(config) })
}

const texts = {
  en: {
    required: (detail: string) => `claw serve does not start: ${detail} See claw doctor.`,
    bypass: (detail: string) =>
      `Mode bypass needs isolation. ${detail} Install bubblewrap, choose another mode, or set CLAW_ALLOW_UNSAFE=1.`
  },
  "zh-CN": {
    required: (detail: string) => `claw serve 未启动：需要隔离但不可用。${detail} 请运行 claw doctor。`,
    bypass: (detail: string) =>
      `bypass 模式需要隔离。${detail} 请安装 bubblewrap、改用其他模式，或设置 CLAW_ALLOW_UNSAFE=1。`
  }
} satisfies Record<Locale, object>

/** Without a session. */
export const reported = (config: ConfigShape) =>
  Effect.scoped(
    Effect.provide(
      Effect.flatMap(Isolation, ({ report }) => report),
      processes(config)
    )
  )

/** Before the first session in this mode; other modes wait for nothing. */
export const bypassAllowed = Effect.fnUntraced(function* (config: ConfigShape) {
  if (config.mode !== "bypass" || config.allowUnsafe) return
  const { detail, state } = yield* Effect.flatMap(Isolation, ({ report }) => report)
  if (state === "in_force") return
  return yield* new Failure({ exit: EXIT.usage, detail: texts[config.locale].bypass(detail) })
})

/** Before a server listens. */
export const serverAllowed = Effect.fnUntraced(function* (config: ConfigShape) {
  const isRequired = config.isolation.mode === "required"
  const isBypass = config.mode === "bypass" && !config.allowUnsafe
  if (!isRequired && !isBypass) return
  const { detail, state } = yield* reported(config)
  if (state === "in_force") return
  const { bypass, required } = texts[config.locale]
  return yield* new Failure({ exit: EXIT.usage, detail: isRequired ? required(detail) : bypass(detail) })
})

/** The mode that the gate goes by: a session that remembers `bypass`, or is told it, asks where it may not be. */
export const modeInForce = (
  { allowUnsafe }: ConfigShape,
  isolation: Isolation["Service"],
  mode: Effect.Effect<Mode>
): Effect.Effect<Mode> =>
  Effect.flatMap(mode, (wanted) =>
    wanted !== "bypass" || allowUnsafe
      ? Effect.succeed(wanted)
      : Effect.map(isolation.report, ({ state }): Mode => (state === "in_force" ? "bypass" : "ask"))
  )
