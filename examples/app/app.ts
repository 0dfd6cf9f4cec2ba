// An application: people sign in with their own PDA, and what they write down stays there.
//
//   node examples/app/app.ts            then open http://127.0.0.1:4811/
//
// PORT chooses another port. On this machine (localhost) any port of a registered address will do.
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import '../localhost.ts';

const PORT = Number(process.env['PORT'] ?? 4811);
const HERE = `http://127.0.0.1:${PORT}`;
const APPLICATION = 'walkabout';
const ENDPOINT = 'walkabout/walks';

// Who has come to us: by a cookie that only their browser has. A real application keeps this in its database.
type Visit = { pda: string; token?: string };
const visits = new Map<string, Visit>();

/** The address of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

// 1. Send them to their own PDA. They sign in there, and see what we ask for; we never see their password.
const signInUrl = (pda: string): string => {
  const query = new URLSearchParams({ name: APPLICATION, redirect: `${HERE}/signed-in`, fallback: HERE });
  return `${urlOf(pda)}/#/pdalogin?${query}`;
};

// 2. They come back with a token. Anybody can write one: believe it only when their PDA has signed it, for us, and it is not over.
type Claims = { application?: string; iss?: string; iat?: number; exp?: number };
const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

const verified = async (token: string, pda: string): Promise<boolean> => {
  const [header, payload, signature] = token.split('.');
  const { alg } = decoded(header) as { alg?: string };
  const { application, iss, iat = Infinity, exp = 0 } = decoded(payload) as Claims;
  const now = Date.now() / 1000;
  // `iss` must be the PDA that we sent them to: its key is the one that counts.
  if (alg !== 'RS256' || application !== APPLICATION || iss !== pda || iat > now + 60 || exp <= now) return false;
  const key = await (await fetch(`${urlOf(pda)}/publickey`, { redirect: 'error' })).text();
  const signed = Buffer.from(`${header}.${payload}`);
  return verify('sha256', signed, createPublicKey(key), Buffer.from(signature ?? '', 'base64url'));
};

// 3. Read and write in our namespace. Each answer brings a renewed token: with it we stay signed in, for 30 days at most.
const call = async (visit: Visit, method: string, path: string, body?: unknown): Promise<Response> => {
  const headers = { 'x-auth-token': visit.token ?? '', 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${urlOf(visit.pda)}/api/v2.6/data/${path}`, { method, headers, ...sent });
  const renewed = response.headers.get('x-auth-token');
  if (renewed !== null) visit.token = renewed;
  // The owner has disabled us, or 30 days are over: they sign in again if they like.
  if (response.status === 401) delete visit.token;
  return response;
};

const escaped = (words: string): string => words.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const page = (content: string): string => `<!doctype html><title>Walkabout</title><h1>Walkabout</h1>${content}\n`;
const SIGN_IN = `<form action="/sign-in"><label>Your PDA <input name="pda" placeholder="ada.example.org"></label>
  <button>Sign in</button></form>`;

const walks = async (visit: Visit): Promise<string> => {
  const response = await call(visit, 'GET', `${ENDPOINT}?take=100`);
  if (!response.ok) return `<p>Your PDA answered ${response.status}.</p>${SIGN_IN}`;
  const records = (await response.json()) as { data: { where: string } }[];
  return `<p>Signed in with ${escaped(visit.pda)}</p>
    <ul>${records.map(({ data }) => `<li>${escaped(data.where)}</li>`).join('')}</ul>
    <form method="post" action="/walks"><input name="where"><button>I walked there</button></form>`;
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', HERE);
  const id = /(?:^|; )visit=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const visit = visits.get(id);
  const goTo = (place: string, headers = {}): void =>
    void response.writeHead(303, { location: place, ...headers }).end();
  const show = (content: string, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page(content));

  if (url.pathname === '/sign-in') {
    const pda = (url.searchParams.get('pda') ?? '').trim().toLowerCase();
    if (!/^[a-z0-9.-]+(:\d+)?$/.test(pda)) return show(`<p>That is no address of a PDA.</p>${SIGN_IN}`, 400);
    const fresh = randomBytes(24).toString('base64url');
    visits.set(fresh, { pda });
    return goTo(signInUrl(pda), { 'set-cookie': `visit=${fresh}; HttpOnly; SameSite=Lax; Path=/` });
  }
  if (url.pathname === '/signed-in') {
    const token = url.searchParams.get('token') ?? '';
    // Without the cookie somebody else was sent to sign in: this token is not for whoever sits here.
    const isGood = visit !== undefined && (await verified(token, visit.pda).catch(() => false));
    if (!isGood) return show(`<p>This sign-in cannot be trusted.</p>${SIGN_IN}`, 403);
    visit.token = token;
    return goTo('/');
  }
  if (url.pathname === '/walks' && request.method === 'POST' && visit?.token !== undefined) {
    const where = new URLSearchParams(await text(request)).get('where') ?? '';
    await call(visit, 'POST', ENDPOINT, { where, on: new Date().toISOString() });
    return goTo('/');
  }
  show(visit?.token === undefined ? SIGN_IN : await walks(visit));
};

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    if (!response.headersSent)
      response.writeHead(502, { 'content-type': 'text/plain' }).end('Your PDA does not answer.');
  });
}).listen(PORT, '127.0.0.1', () => console.log(`Walkabout is at ${HERE}/`));
