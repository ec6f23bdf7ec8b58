/** Starts, restarts and stops the real server, each on a port and in a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '..')
const PYTHON = join(ROOT, '.venv/bin/python')
const START_MS = 30_000
const STOP_MS = 10_000

export class Server {
  /** All that it has printed, over restarts too. */
  log = ''
  /** How it ended when nobody had asked it to; empty while all is well. */
  died = ''
  private child: ChildProcess | undefined

  private constructor(
    readonly port: number,
    readonly data: string,
    private readonly settings: Record<string, string>,
  ) {}

  /** A running server; `settings` are environment variables. */
  static async start(settings: Record<string, string> = {}): Promise<Server> {
    const server = new Server(await freePort(), await mkdtemp(join(tmpdir(), 'ringcast-e2e-')), settings)
    await server.up()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Start it and wait until it answers. */
  async up(): Promise<void> {
    const child = spawn(
      PYTHON,
      ['-m', 'backend.cli', 'serve', '--host', '127.0.0.1', '--port', `${this.port}`],
      {
        cwd: ROOT,
        env: { ...process.env, PYTHONUNBUFFERED: '1', RINGCAST_DATA: this.data, ...this.settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    this.child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.log += text))
    }
    child.once('exit', (code, signal) => {
      if (this.child === child) this.died = `the server ended by itself (${signal ?? `exit code ${code}`})`
    })
    const deadline = Date.now() + START_MS
    while (!(await this.answers())) {
      if (child.exitCode !== null || child.signalCode !== null) throw this.failure('ended before it answered')
      if (Date.now() > deadline) {
        await this.down()
        throw this.failure(`did not answer within ${START_MS / 1000} s`)
      }
      await pause(50)
    }
  }

  /** Stop it as Ctrl-C would; what it stored stays. */
  async down(): Promise<void> {
    const child = this.child
    this.child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const stubborn = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    child.kill('SIGINT')
    await ended
    clearTimeout(stubborn)
    if (child.signalCode === 'SIGKILL') throw this.failure(`did not stop within ${STOP_MS / 1000} s`)
  }

  /** The same server, anew: same port, same data. */
  async restart(): Promise<void> {
    await this.down()
    await this.up()
  }

  /** Stop it and remove what it stored. */
  async dispose(): Promise<void> {
    await this.down()
    await rm(this.data, { recursive: true, force: true })
  }

  private async answers(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/api/health`, { signal: AbortSignal.timeout(2000) })
      return response.ok
    } catch {
      return false
    }
  }

  private failure(what: string): Error {
    return new Error(`The server ${what}. It printed:\n${this.log.slice(-4000) || '(nothing)'}`)
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
