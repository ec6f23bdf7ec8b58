import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Socket } from './socket'
import type { Link, Wire } from './socket'

class FakeWire implements Wire {
  binaryType: BinaryType = 'blob'
  readyState: 0 | 1 | 2 | 3 = 1
  onopen: ((event: Event) => void) | null = null
  onmessage: ((event: MessageEvent) => void) | null = null
  onclose: ((event: CloseEvent) => void) | null = null
  sent: string[] = []
  send(data: unknown): void {
    this.sent.push(String(data))
  }
  close(): void {
    this.readyState = 3
  }
  say(data: unknown): void {
    const text = data instanceof ArrayBuffer || typeof data === 'string' ? data : JSON.stringify(data)
    this.onmessage?.(new MessageEvent('message', { data: text }))
  }
}

let wires: FakeWire[]
let links: Link[]
let frames: number

function connect(): Socket {
  return new Socket(
    'ws://x/ws/1',
    'secret',
    {
      welcome: () => undefined,
      message: () => undefined,
      frame: () => frames++,
      link: (link) => links.push(link),
    },
    () => {
      const wire = new FakeWire()
      wires.push(wire)
      return wire
    },
  )
}

const closed = (): CloseEvent => new Event('close') as CloseEvent
const last = (): FakeWire => wires.at(-1) ?? new FakeWire()

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  ;[wires, links, frames] = [[], [], 0]
})
afterEach(() => vi.useRealTimers())

describe('a connection', () => {
  it('says hello with its token, and is live once welcomed', () => {
    const socket = connect()
    expect(socket.send({ type: 'play' })).toBe(false)
    last().onopen?.(new Event('open'))
    expect(JSON.parse(last().sent[0] ?? '')).toEqual({ type: 'hello', v: 1, token: 'secret' })
    last().say(new ArrayBuffer(4))
    expect(frames).toBe(0)
    last().say({ type: 'welcome' })
    last().say(new ArrayBuffer(4))
    expect(frames).toBe(1)
    expect(links.map((l) => l.state)).toEqual(['connecting', 'live'])
    expect(socket.send({ type: 'play' })).toBe(true)
    socket.close()
  })

  it('tries again, more and more slowly, at most 12 s apart', () => {
    const socket = connect()
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      last().onclose?.(closed())
      const link = links.at(-1)
      expect(link?.state).toBe('waiting')
      if (link?.state === 'waiting') pauses.push(link.at - Date.now())
      vi.runOnlyPendingTimers()
      expect(wires.length).toBe(i + 2)
    }
    expect(pauses[0]).toBeLessThan(700)
    expect(pauses[3]).toBeGreaterThan(3000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(12_000)
    socket.close()
  })

  it('tries at once when asked', () => {
    const socket = connect()
    last().onclose?.(closed())
    socket.now()
    expect(wires.length).toBe(2)
    vi.advanceTimersByTime(1000)
    expect(wires.length).toBe(2)
    socket.close()
  })

  it('notices silence', () => {
    const socket = connect()
    last().say({ type: 'welcome' })
    vi.advanceTimersByTime(4_000)
    expect(last().sent.at(-1)).toContain('ping')
    vi.advanceTimersByTime(13_000)
    expect(wires.length).toBeGreaterThan(1)
    socket.close()
  })

  it.each(['{', '[]', '7', '{"type":3}'])('begins afresh after nonsense: %s', (text) => {
    const socket = connect()
    last().say({ type: 'welcome' })
    last().say(text)
    expect(links.at(-1)?.state).toBe('waiting')
    socket.close()
  })

  it('stops when the server says that the session is gone', () => {
    connect()
    last().say({ type: 'bye', code: 4004, message: 'No such session.' })
    vi.advanceTimersByTime(60_000)
    expect(wires.length).toBe(1)
    expect(links.at(-1)).toEqual({ state: 'closed', code: 4004, message: 'No such session.' })
  })

  it('ignores what an abandoned connection still says', () => {
    const socket = connect()
    const old = last()
    old.say({ type: 'welcome' })
    socket.restart('test')
    old.say(new ArrayBuffer(4))
    expect(frames).toBe(0)
    socket.close()
  })
})
