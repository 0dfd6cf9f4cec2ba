// An application. Users sign in with their own PDA, and the application stores its records there.
//
//   node examples/app/app.ts            then open http://127.0.0.1:4811/
//
// The environment variable PORT selects another port. The PDA ignores the port of a registered loopback address.
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import '../localhost.ts';

const PORT = Number(process.env['PORT'] ?? 4811);
const BASE_URL = `http://127.0.0.1:${PORT}`;
const APPLICATION = 'walkabout';
const ENDPOINT = 'walkabout/walks';

// Browser sessions by the value of their cookie. A real application keeps its sessions in a database.
type Session = { pda: string; token?: string };
const sessions = new Map<string, Session>();

/** Base URL of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

// 1. Redirect users to their own PDA. They sign in there and see which rights we request. We never see their password.
const signInUrl = (pda: string): string => {
  const query = new URLSearchParams({ name: APPLICATION, redirect: `${BASE_URL}/signed-in`, fallback: BASE_URL });
  return `${urlOf(pda)}/#/pdalogin?${query}`;
};

// 2. The PDA redirects users back with a token. Anyone can send a forged token, so accept a token only if that PDA
// signed it, it was issued to this application, and it has not expired.
type Claims = { application?: string; iss?: string; iat?: number; exp?: number };
const decodePart = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

const isValidToken = async (token: string, pda: string): Promise<boolean> => {
  const [header, payload, signature] = token.split('.');
  const { alg } = decodePart(header) as { alg?: string };
  const { application, iss, iat = Infinity, exp = 0 } = decodePart(payload) as Claims;
  const now = Date.now() / 1000;
  // `iss` must be the PDA to which we sent this user. Only its key may verify the signature.
  if (alg !== 'RS256' || application !== APPLICATION || iss !== pda || iat > now + 60 || exp <= now) return false;
  const key = await (await fetch(`${urlOf(pda)}/publickey`, { redirect: 'error' })).text();
  const signedBytes = Buffer.from(`${header}.${payload}`);
  return verify('sha256', signedBytes, createPublicKey(key), Buffer.from(signature ?? '', 'base64url'));
};

// 3. Read and write in our namespace. Successful responses carry a renewed token, which keeps the session alive
// for at most 30 days after the sign-in.
const callPda = async (session: Session, method: string, path: string, body?: unknown): Promise<Response> => {
  const headers = { 'x-auth-token': session.token ?? '', 'content-type': 'application/json' };
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${urlOf(session.pda)}/api/v2.6/data/${path}`, { method, headers, ...init });
  const renewedToken = response.headers.get('x-auth-token');
  if (renewedToken !== null) session.token = renewedToken;
  // The session has expired, or the owner disabled this application. The user has to sign in again.
  if (response.status === 401) delete session.token;
  return response;
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const renderPage = (content: string): string => `<!doctype html><title>Walkabout</title><h1>Walkabout</h1>${content}\n`;
const SIGN_IN = `<form action="/sign-in"><label>Your PDA <input name="pda" placeholder="ada.example.org"></label>
  <button>Sign in</button></form>`;

const renderWalks = async (session: Session): Promise<string> => {
  const response = await callPda(session, 'GET', `${ENDPOINT}?take=100`);
  if (!response.ok) return `<p>Your PDA responded with status ${response.status}.</p>${SIGN_IN}`;
  const records = (await response.json()) as { data: { where: string } }[];
  return `<p>Signed in with ${escapeHtml(session.pda)}</p>
    <ul>${records.map(({ data }) => `<li>${escapeHtml(data.where)}</li>`).join('')}</ul>
    <form method="post" action="/walks"><input name="where"><button>I walked there</button></form>`;
};

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', BASE_URL);
  const sessionId = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const session = sessions.get(sessionId);
  const redirect = (location: string, headers = {}): void =>
    void response.writeHead(303, { location, ...headers }).end();
  const sendPage = (content: string, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(renderPage(content));

  if (url.pathname === '/sign-in') {
    const pda = (url.searchParams.get('pda') ?? '').trim().toLowerCase();
    if (!/^[a-z0-9.-]+(:\d+)?$/.test(pda)) return sendPage(`<p>This is not the address of a PDA.</p>${SIGN_IN}`, 400);
    const newSessionId = randomBytes(24).toString('base64url');
    sessions.set(newSessionId, { pda });
    return redirect(signInUrl(pda), { 'set-cookie': `session=${newSessionId}; HttpOnly; SameSite=Lax; Path=/` });
  }
  if (url.pathname === '/signed-in') {
    const token = url.searchParams.get('token') ?? '';
    // Without the cookie, this sign-in began in another browser. Accepting the token would allow login CSRF.
    const isTrusted = session !== undefined && (await isValidToken(token, session.pda).catch(() => false));
    if (!isTrusted) return sendPage(`<p>This sign-in is not valid. Sign in again.</p>${SIGN_IN}`, 403);
    session.token = token;
    return redirect('/');
  }
  if (url.pathname === '/walks' && request.method === 'POST' && session?.token !== undefined) {
    const where = new URLSearchParams(await text(request)).get('where') ?? '';
    await callPda(session, 'POST', ENDPOINT, { where, on: new Date().toISOString() });
    return redirect('/');
  }
  sendPage(session?.token === undefined ? SIGN_IN : await renderWalks(session));
};

createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error);
    if (!response.headersSent)
      response.writeHead(502, { 'content-type': 'text/plain' }).end('The request to your PDA failed. Try again later.');
  });
}).listen(PORT, '127.0.0.1', () => console.log(`Walkabout listening on ${BASE_URL}/`));
