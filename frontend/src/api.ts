/** The HTTP API: one function a call, and one kind of error that says where, what and what instead. */
import type { Schema } from './schema'
import type {
  CatalogueEntry,
  Caution,
  Created,
  Example,
  Health,
  NewSession,
  Problem,
  Protocol,
  SessionInfo,
  SharedLink,
  ShortLink,
  StoredLink,
  Unlinked,
  UploadedNetwork,
} from './wire.gen'

/** A refusal of the server, or no answer at all (status 0). */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message)
  }
}

/** Anything thrown, as a refusal to show. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem
  const message = error instanceof Error ? error.message : 'something unexpected happened'
  return { path: '', value: '', allowed: '', message }
}

const unreachable: Problem = {
  path: '',
  value: '',
  allowed: 'a running server; your run is kept while it is away',
  message: 'the server cannot be reached',
}

function isProblem(value: unknown): value is { error: Problem } {
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : null
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  )
}

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, options)
  } catch {
    throw new ApiError(0, unreachable)
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  if (isProblem(body)) throw new ApiError(response.status, body.error)
  const message = `the server answered ${response.status} without a reason`
  throw new ApiError(response.status, { path, value: '', allowed: '', message })
}

/** The body is what backend/documents.py declares; a server of another version shows in the socket's hello. */
export async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await (await request(path, options)).json()) as T
}

export const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

const lists = new Map<string, Promise<unknown>>()

/** Lists do not change while the server runs: asked for once, again after a failure. */
function once<T>(path: string): Promise<T> {
  const known = lists.get(path)
  if (known) return known as Promise<T>
  const asked = json<T>(path)
  lists.set(path, asked)
  asked.catch(() => lists.delete(path))
  return asked
}

export const part = encodeURIComponent

export const api = {
  health: () => json<Health>('/api/health'),
  protocols: () => once<Protocol[]>('/api/protocols'),
  networks: () => once<CatalogueEntry[]>('/api/networks'),
  schema: (name: string) => once<Schema>(`/api/schemas/${part(name)}`),
  /** What parameters of a protocol will not do as one might expect; ApiError where they cannot work together. */
  cautions: (protocol: string, params: Record<string, unknown>) =>
    json<Caution[]>(`/api/protocols/${part(protocol)}/check`, post({ params })),
  examples: () => once<Example[]>('/api/examples'),
  create: (asked: NewSession) => json<Created>('/api/sessions', post(asked)),
  session: (id: string) => json<SessionInfo>(`/api/sessions/${part(id)}`),
  link: (id: string) => json<SharedLink>(`/api/sessions/${part(id)}/link`),
  report: (id: string) => json<Record<string, unknown>>(`/api/sessions/${part(id)}/report`),
  scenario: (id: string) => json<Record<string, unknown>>(`/api/sessions/${part(id)}/scenario`),
  unlink: (fragment: string) => json<Unlinked>('/api/unlink', post({ fragment })),
  shorten: (fragment: string) => json<ShortLink>('/api/links', post({ fragment })),
  stored: (hash: string) => json<StoredLink>(`/api/links/${part(hash)}`),
  /** Reads a network file; `name` helps the server to tell the format. */
  upload: (file: File) =>
    json<UploadedNetwork>(`/api/networks?filename=${part(file.name)}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream' },
      body: file,
    }),
}
