/**
 * The two ways in which a server of this package is spoken to. Owns: what differs between them, as data: where requests
 * go, how they are written, what their answers mean. Everything else, sockets, limits, refusals, endings, is one.
 */
import type { Profile } from "../Profiles.ts"
import { type Answer, errorIn, type Fields, openAnswer } from "./answer.ts"
import { makeEncoder } from "./encode.ts"
import { openResponsesAnswer, responsesErrorIn } from "./responses/answer.ts"
import { makeResponsesEncoder, type Whose } from "./responses/encode.ts"

export interface Dialect {
  readonly path: string
  /** For people: what a server without that path does not have. */
  readonly offers: string
  /** `reasons`: the configured model does. */
  readonly encoder: (profile: Profile, whose: Whose, reasons: boolean) => ReturnType<typeof makeEncoder>
  /** `sent`: bytes of the request. */
  readonly open: (profile: Profile, whose: Whose, sent: number) => Answer
  /** The error object of an event or a document that is none. */
  readonly errorIn: (chunk: Fields, event: string | undefined) => unknown
}

export const dialects = {
  chat: {
    path: "/chat/completions",
    offers: "chat completions",
    encoder: (profile, { model }) => makeEncoder(profile, model),
    open: ({ reasoning_fields }, _, sent) => openAnswer(reasoning_fields, sent),
    errorIn
  },
  responses: {
    path: "/responses",
    offers: "responses",
    encoder: makeResponsesEncoder,
    open: (_, whose, sent) => openResponsesAnswer(whose, sent),
    errorIn: responsesErrorIn
  }
} as const satisfies Record<string, Dialect>
