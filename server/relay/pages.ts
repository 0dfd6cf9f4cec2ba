import { createHash } from 'node:crypto';

/** The few pages that the relay has: whole in themselves, with nothing from elsewhere and nothing that runs. */

export type Page = { status: number; html: string; headers: Record<string, string> };

const STYLE = `:root{color-scheme:light dark;--back:#fbfaf8;--text:#26221d;--soft:#6b645b;--line:#e2ddd5}
@media (prefers-color-scheme:dark){:root{--back:#1b1917;--text:#efebe4;--soft:#a59d92;--line:#3a3631}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);color:var(--text);font:1.0625rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:32rem}
h1{margin:0 0 .75rem;font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0 0 1rem}
.soft{color:var(--soft)}
hr{border:0;border-top:1px solid var(--line);margin:1.5rem 0}`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (character) => ESCAPES[character] ?? '');

const page = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;

/** Seconds after which it is worth another try: a PDA that lost its relay for a moment is back by then. */
export const OFFLINE_RETRY_SECONDS = 30;

/** The same for a name that nobody has: who has one is nobody's business. */
export const offlinePage = (host: string): Page => ({
  status: 503,
  headers: { ...HEADERS, 'retry-after': String(OFFLINE_RETRY_SECONDS) },
  html: page(
    'This PDA is offline',
    `<p><strong>${escaped(host)}</strong> cannot be reached just now. It runs on a computer of its owner, which may be asleep, switched off or without a network.</p>
<p>Nothing is lost: what is in it is where its owner keeps it. Try again later.</p>
<hr>
<p class="soft">If it is yours: is the computer on, and does its page “Exposure” say that it can be reached?</p>`,
  ),
});

export const welcomePage = (domain: string): Page => ({
  status: 200,
  headers: HEADERS,
  html: page(
    'A relay for personal data accounts',
    `<p>Accounts under <strong>${escaped(domain)}</strong> run on their owners’ own computers. This server passes connections on to them, without being able to read what is said.</p>`,
  ),
});
