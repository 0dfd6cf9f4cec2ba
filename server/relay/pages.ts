import { createHash } from 'node:crypto';
import { escapeHtml } from '../platform/words.ts';
import type { Language } from '../wire/language.ts';

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
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // For whoever keeps it all the same.
  vary: 'accept-language',
};

const page = (language: Language, title: string, body: string): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

/** Seconds after which it is worth another try: a PDA that lost its relay for a moment is back by then. */
export const OFFLINE_RETRY_SECONDS = 30;

/** A page's title, and its body as HTML around a name that is HTML already. */
type PageText = { title: string; body: (name: string) => string };

const TEXTS: Record<Language, { offline: PageText; welcome: PageText }> = {
  en: {
    offline: {
      title: 'This PDA is offline',
      body: (
        host,
      ) => `<p>${host} cannot be reached just now. It runs on a computer of its owner, which may be asleep, switched off or without a network.</p>
<p>Nothing is lost: what is in it is where its owner keeps it. Try again later.</p>
<hr>
<p class="soft">If it is yours: is the computer on, and does its page “Exposure” say that it can be reached?</p>`,
    },
    welcome: {
      title: 'A relay for personal data accounts',
      body: (domain) =>
        `<p>Accounts under ${domain} run on their owners’ own computers. This server passes connections on to them, without being able to read what is said.</p>`,
    },
  },
  de: {
    offline: {
      title: 'Dieses PDA ist offline',
      body: (
        host,
      ) => `<p>${host} ist gerade nicht zu erreichen. Es läuft auf einem Computer des Menschen, dem es gehört. Vielleicht schläft der Computer, ist ausgeschaltet oder hat kein Netz.</p>
<p>Nichts ist verloren: Was darin ist, liegt auf diesem Computer. Versuche es später noch einmal.</p>
<hr>
<p class="soft">Wenn es deines ist: Ist der Computer an, und sagt dort die Seite „Adresse und Erreichbarkeit“, dass es erreichbar ist?</p>`,
    },
    welcome: {
      title: 'Ein Relay für persönliche Datenkonten',
      body: (domain) =>
        `<p>Die PDAs unter ${domain} laufen auf den eigenen Computern derer, denen sie gehören. Dieser Server reicht Verbindungen an sie weiter und kann nicht lesen, was gesagt wird.</p>`,
    },
  },
};

const pageIn = (language: Language, { title, body }: PageText, name: string): Pick<Page, 'html' | 'headers'> => ({
  headers: { ...HEADERS, 'content-language': language },
  html: page(language, title, body(`<strong>${escapeHtml(name)}</strong>`)),
});

/** The same for a name that nobody has: who has one is nobody's business. */
export const offlinePage = (host: string, language: Language): Page => {
  const { html, headers } = pageIn(language, TEXTS[language].offline, host);
  return { status: 503, html, headers: { ...headers, 'retry-after': String(OFFLINE_RETRY_SECONDS) } };
};

export const welcomePage = (domain: string, language: Language): Page => ({
  status: 200,
  ...pageIn(language, TEXTS[language].welcome, domain),
});
