/**
 * One connection to one session, kept alive.
 *
 * A lost connection is tried again after 0.5, 1, 2, 4 … 10 s, for as long as the page is open; the server then sends
 * the whole state, so nothing needs to be remembered here. Commands given while offline are refused, not queued: they
 * would take effect at a moment nobody chose.
 */
import { CLOSE, WIRE_VERSION } from './wire.gen'
import type { ClientMessage, ServerMessage, Welcome } from './wire.gen'

export type Link =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `at`: when the next try is due, in ms as Date.now() counts. */
  | { state: 'waiting'; at: number; tries: number; why: string }
  | { state: 'closed'; code: number; message: string }

export interface SocketEvents {
  welcome(message: Welcome): void
  message(message: ServerMessage): void
  frame(bytes: ArrayBuffer): void
  link(link: Link): void
}

/** What of WebSocket is needed; tests bring their own. */
export type Wire = Pick<
  WebSocket,
  'send' | 'close' | 'binaryType' | 'readyState' | 'onopen' | 'onmessage' | 'onclose'
>

const OPEN = 1
/** Nothing heard for this long, although asked: the connection is dead. */
const SILENCE_MS = 12_000
const PING_MS = 4_000
/** `bye` codes after which trying again cannot help. */
const FINAL: ReadonlySet<number> = new Set([CLOSE.VERSION, CLOSE.TOKEN, CLOSE.UNKNOWN_SESSION])

export class Socket {
  private wire: Wire | null = null
  private tries = 0
  /** What the server said when it last closed the connection. */
  private why = ''
  private retry: ReturnType<typeof setTimeout> | null = null
  private readonly pulse: ReturnType<typeof setInterval>
  private heard = 0
  private live = false
  private ended = false

  constructor(
    private readonly url: string,
    private readonly token: string | null,
    private readonly on: SocketEvents,
    private readonly open: (url: string) => Wire = (u) => new WebSocket(u),
  ) {
    this.pulse = setInterval(() => this.beat(), PING_MS)
    this.connect()
  }

  /** Sends if connected; false: not sent. */
  send(message: ClientMessage): boolean {
    if (!this.live || this.wire?.readyState !== OPEN) return false
    this.wire.send(JSON.stringify(message))
    return true
  }

  /** Tries at once instead of waiting. */
  now(): void {
    if (this.ended || this.live) return
    this.drop()
    this.connect()
  }

  /** The server sent nonsense: begin again with a full state. */
  restart(why: string): void {
    console.warn(`Ringcast: starting the connection afresh: ${why}`)
    this.drop()
    this.wait()
  }

  close(): void {
    this.ended = true
    clearInterval(this.pulse)
    this.drop()
  }

  private connect(): void {
    this.on.link({ state: 'connecting' })
    this.heard = Date.now()
    let wire: Wire
    try {
      wire = this.open(this.url)
    } catch {
      return this.wait()
    }
    this.wire = wire
    wire.binaryType = 'arraybuffer'
    wire.onopen = () =>
      wire.send(JSON.stringify({ type: 'hello', v: WIRE_VERSION, token: this.token } satisfies ClientMessage))
    wire.onmessage = ({ data }: MessageEvent<unknown>) => this.receive(wire, data)
    wire.onclose = () => {
      if (this.wire !== wire || this.ended) return
      this.drop()
      this.wait()
    }
  }

  private receive(wire: Wire, data: unknown): void {
    if (this.wire !== wire) return
    this.heard = Date.now()
    if (data instanceof ArrayBuffer) {
      if (this.live) this.on.frame(data)
      return
    }
    const message = parse(data)
    if (!message) return this.restart('a message is not JSON with a type')
    if (message.type === 'bye') {
      this.why = message.message
      if (!FINAL.has(message.code)) return
      this.close()
      return this.on.link({ state: 'closed', code: message.code, message: message.message })
    }
    if (message.type === 'welcome') {
      this.live = true
      this.tries = 0
      this.why = ''
      this.on.welcome(message)
      this.on.link({ state: 'live' })
    } else if (message.type !== 'pong') this.on.message(message)
  }

  private beat(): void {
    if (this.retry !== null) return
    if (Date.now() - this.heard > SILENCE_MS) this.restart('nothing was heard for a while')
    else this.send({ type: 'ping', ref: 0 })
  }

  private drop(): void {
    const { wire } = this
    this.wire = null
    this.live = false
    if (this.retry !== null) clearTimeout(this.retry)
    this.retry = null
    if (wire) {
      wire.onopen = wire.onmessage = wire.onclose = null
      wire.close()
    }
  }

  private wait(): void {
    const pause = Math.min(10_000, 500 * 2 ** this.tries) * (0.8 + 0.4 * Math.random())
    this.tries++
    this.retry = setTimeout(() => {
      this.retry = null
      this.connect()
    }, pause)
    this.on.link({ state: 'waiting', at: Date.now() + pause, tries: this.tries, why: this.why })
  }
}

function parse(data: unknown): ServerMessage | null {
  if (typeof data !== 'string') return null
  try {
    const message: unknown = JSON.parse(data)
    if (
      typeof message === 'object' &&
      message !== null &&
      'type' in message &&
      typeof message.type === 'string'
    )
      return message as ServerMessage
  } catch {
    // falls through
  }
  return null
}
