/**
 * The one writer of a connection (R186, R204). Owns: what waits for a reader, and when a reader is too slow.
 * Invariants: nothing is dropped from the middle: either everything goes out in its order or the reader is cut off;
 * the sink never waits and never throws; only deltas of one stream merge, and never across another kind of event;
 * what waits is bounded by bytes (the transport's included), by events and by the age of the oldest; what comes faster
 * than the reader can be judged is bounded, too.
 */
import { type Delta, isDelta, type LiveEvent, type SessionEvent } from "../domain/Event.ts"
import type { ConnectionEvent } from "../protocol/ServerEvent.ts"
import type { Connection } from "./Connection.ts"
import { mergedText, textOf } from "./eventText.ts"
import { PIECE, pieces } from "./pieces.ts"
import type { Given, Growing, Waiting } from "./waiting.ts"

export interface OutboxLimits {
  readonly outbox_bytes: number
  readonly outbox_events: number
  readonly write_ms: number
}

export interface OutboxOptions {
  readonly connection: Pick<Connection, "send" | "buffered" | "onDrain">
  readonly limits: OutboxLimits
  readonly now: () => number
  /** Something waits for the reader; `lateAt` says how long it may. Called again only after it was not so. */
  readonly onWaiting: () => void
  /** So many messages went to the transport together. */
  readonly onSent?: (count: number) => void
  /** Once: the reader is too slow, nothing more is sent to it. */
  readonly onSlow: () => void
}

export interface Outbox {
  /** Events of the session, as the hub gives them. */
  readonly sink: (events: ReadonlyArray<SessionEvent>) => void
  /** An event of this connection alone, in its place among the others. `paced`: its giver sends one, however large. */
  readonly send: (event: ConnectionEvent, paced?: "paced") => void
  /** While true, what comes is a replay, which its giver paces: only age counts, until the reader has taken it all. */
  readonly replaying: (on: boolean) => void
  /** Called once, when nothing waits here any more (at once where nothing does). */
  readonly whenTaken: (taken: () => void) => void
  /** Called once, when what waits here and in the transport is within the limit of bytes (at once where it is). */
  readonly whenRoom: (room: () => void) => void
  readonly hasRoom: () => boolean
  /** When the oldest unsent event is too old, by `now`; absent: nothing is unsent. */
  readonly lateAt: () => number | undefined
  /** Says so where the oldest unsent event is too old. */
  readonly look: () => void
  /** Hands everything to the transport; nothing is taken any more. */
  readonly finish: () => void
}

/** As much is handed to the transport at once; the rest waits here, where it can still merge. */
const HANDED_BYTES = 65_536
const STRIKES = 2
/** So many times the limit of bytes is too much at once, whether or not the reader had a chance. */
const FAR = 8
/** The envelope of a delta. */
const DELTA_BYTES = 200

/** Boxes that have something for this turn of the loop: one immediate hands out what all of them have. */
let due: Array<Box> = []

const turn = (): void => {
  const boxes = due
  due = []
  for (const box of boxes) box.turn()
}

class Box {
  private waiting: Array<Waiting> = []
  /** Deltas behind the last event of another kind: they may still grow. */
  private growing: Array<Growing> = []
  private bytes = 0
  private events = 0
  private exemptBytes = 0
  private given: Array<Given> = []
  private written = 0
  /** How far what was written does not count: a replay, or a message that was begun while nothing else waited. */
  private exemptTo = 0
  /** Replayed events that wait here, and how far what was written is a replay. */
  private replays = 0
  private replayedTo = 0
  private scheduled = false
  private strikes = 0
  private announced = false
  /** A transport that tells of a drain from within `send` does not begin this anew. */
  private handing = false
  private state: "open" | "slow" | "finished" = "open"
  private taken: Array<() => void> = []
  private roomy: Array<() => void> = []
  private readonly options: OutboxOptions
  replay = false

  constructor(options: OutboxOptions) {
    this.options = options
  }

  private add(item: Waiting): void {
    if (this.bytes > this.options.limits.outbox_bytes * FAR) return this.tooSlow()
    this.waiting.push(item)
    if (item.exempt) {
      this.replays += 1
      this.exemptBytes += item.bytes
    } else {
      this.bytes += item.bytes
      this.events += 1
    }
    this.schedule()
  }

  /** What comes in one turn of the loop goes out together, its deltas merged; then the reader is judged. */
  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    if (due.push(this) === 1) setImmediate(turn)
  }

  turn(): void {
    this.scheduled = false
    this.flush()
    this.judge()
  }

  /** Too much in two turns in a row: a burst within one turn gave the reader no chance. */
  private judge(): void {
    if (this.state !== "open") return
    this.strikes = this.isOver() ? this.strikes + 1 : 0
    if (this.strikes >= STRIKES) this.tooSlow()
    else if (this.strikes > 0) this.schedule()
  }

  addText(text: string, exempt = this.replay): void {
    if (this.growing.length > 0) this.growing = []
    const bytes = Buffer.byteLength(text)
    this.add({ text, delta: undefined, content: "", bytes, at: this.options.now(), exempt })
  }

  addDelta(delta: LiveEvent & Delta): void {
    const { content } = delta
    const open = this.growing.find((item) => item.delta.stream_id === delta.stream_id)
    const follows = open !== undefined && open.delta.offset + open.content.length === delta.offset
    if (follows && open.content.length + content.length <= PIECE) {
      const bytes = Buffer.byteLength(content)
      open.content += content
      open.bytes += bytes
      if (open.exempt) this.exemptBytes += bytes
      else this.bytes += bytes
      // It may have become too much for this reader by growing alone.
      this.schedule()
      return
    }
    // The event itself where it fits: whoever else sends it shares its text.
    if (content.length <= PIECE) return this.addPiece(delta)
    for (const { at, text } of pieces(content)) this.addPiece({ ...delta, offset: delta.offset + at, content: text })
  }

  private addPiece(delta: LiveEvent & Delta): void {
    const { content } = delta
    const bytes = Buffer.byteLength(content) + DELTA_BYTES
    const item = { text: undefined, delta, content, bytes, at: this.options.now(), exempt: this.replay }
    const before = this.growing.findIndex((other) => other.delta.stream_id === delta.stream_id)
    if (before >= 0) this.growing.splice(before, 1)
    this.growing.push(item)
    this.add(item)
  }

  private isOver(): boolean {
    const { limits, connection } = this.options
    // What comes while a reader is busy with what it missed, megabytes perhaps, is none of its doing.
    const gone = this.written - connection.buffered()
    if (this.replays > 0 || gone < this.replayedTo) return false
    const counted = this.bytes + this.written - Math.max(gone, this.exemptTo)
    return counted > limits.outbox_bytes || this.events > limits.outbox_events
  }

  isOpen(): boolean {
    return this.state === "open"
  }

  private tooSlow(): void {
    if (this.state !== "open") return
    this.state = "slow"
    this.waiting = []
    this.growing = []
    this.roomy = []
    this.options.onSlow()
  }

  private hand(item: Waiting): void {
    // First: what a reader does at once may bring the next delta while this one goes out.
    const grows = item.delta === undefined ? -1 : this.growing.findIndex((other) => other === item)
    if (grows >= 0) this.growing.splice(grows, 1)
    const { connection } = this.options
    const text = item.text ?? (item.delta === undefined ? "" : mergedText(item.delta, item.content))
    const bytes = item.text === undefined ? Buffer.byteLength(text) : item.bytes
    if (item.exempt) {
      this.replays -= 1
      this.exemptBytes -= item.bytes
    } else {
      this.bytes -= item.bytes
      this.events -= 1
    }
    const first = connection.buffered() === 0
    this.written += bytes
    if (item.exempt) this.replayedTo = this.written
    if (item.exempt || first) this.exemptTo = this.written
    if (this.given.at(-1)?.at === item.at) this.given.pop()
    this.given.push({ upTo: this.written, at: item.at })
    connection.send(text)
  }

  flush(everything = false): void {
    if (this.state === "slow" || this.handing) return
    const { connection } = this.options
    this.handing = true
    let handed = 0
    for (const item of this.waiting) {
      if (!everything && connection.buffered() >= HANDED_BYTES) break
      this.hand(item)
      handed += 1
    }
    this.handing = false
    if (handed === this.waiting.length) this.waiting = []
    else this.waiting.splice(0, handed)
    if (handed > 0) this.options.onSent?.(handed)
    this.settle()
  }

  /** Takes note of what the transport has got rid of. */
  private settle(): void {
    const buffered = this.options.connection.buffered()
    if (buffered === 0) {
      if (this.given.length > 0) this.given = []
    } else {
      const gone = this.given.findIndex(({ upTo }) => upTo > this.written - buffered)
      if (gone > 0) this.given.splice(0, gone)
    }
    if (this.waiting.length === 0) for (const tell of this.taken.splice(0)) tell()
    if (this.roomy.length > 0 && this.hasRoom()) for (const tell of this.roomy.splice(0)) tell()
    const waits = this.lateAt() !== undefined
    if (waits && !this.announced) this.options.onWaiting()
    this.announced = waits
  }

  whenTaken(tell: () => void): void {
    if (this.waiting.length === 0 || this.state !== "open") tell()
    else this.taken.push(tell)
  }

  hasRoom(): boolean {
    const { limits, connection } = this.options
    return this.bytes + this.exemptBytes + connection.buffered() <= limits.outbox_bytes
  }

  whenRoom(tell: () => void): void {
    if (this.hasRoom()) tell()
    else this.roomy.push(tell)
  }

  lateAt(): number | undefined {
    const oldest = this.given[0] ?? this.waiting[0]
    return oldest === undefined || this.state !== "open" ? undefined : oldest.at + this.options.limits.write_ms
  }

  look(): void {
    this.settle()
    const late = this.lateAt()
    if (late !== undefined && late <= this.options.now()) this.tooSlow()
  }

  finish(): void {
    this.flush(true)
    if (this.state === "open") this.state = "finished"
  }
}

export const make = (options: OutboxOptions): Outbox => {
  const box = new Box(options)
  options.connection.onDrain(() => box.flush())
  return {
    sink: (events) => {
      if (!box.isOpen()) return
      for (const event of events) {
        if (isDelta(event)) box.addDelta(event)
        else box.addText(textOf(event))
      }
    },
    send: (event, paced) => {
      if (box.isOpen()) box.addText(textOf(event), paced === "paced" || box.replay)
    },
    replaying: (on) => void (box.replay = on),
    whenTaken: (tell) => box.whenTaken(tell),
    whenRoom: (tell) => box.whenRoom(tell),
    hasRoom: () => box.hasRoom(),
    lateAt: () => box.lateAt(),
    look: () => box.look(),
    finish: () => box.finish()
  }
}
