import { createHash } from 'node:crypto';
import { escapeHtml, buildHtmlPage } from '../../wire/html.ts';
import type { Language } from '../../wire/language.ts';

export type Page = { status: number; html: string; headers: Record<string, string> };

const STYLE = `:root{color-scheme:light dark;--background:#fbfaf8;--text:#26221d;--secondary:#6b645b;--border:#e2ddd5}
@media (prefers-color-scheme:dark){:root{--background:#1b1917;--text:#efebe4;--secondary:#a59d92;--border:#3a3631}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--background);color:var(--text);font:1.0625rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:32rem}
h1{margin:0 0 .75rem;font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0 0 1rem}
.secondary{color:var(--secondary)}
hr{border:0;border-top:1px solid var(--border);margin:1.5rem 0}`;

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
  // For caches that ignore no-store.
  vary: 'accept-language',
};

/** Retry-After of responses for an offline PDA: enough time for a PDA that lost its tunnel to reconnect. */
export const OFFLINE_RETRY_SECONDS = 30;

/** `body` returns HTML; `name` is escaped HTML. */
type PageText = { title: string; body: (name: string) => string };

const TEXTS: Record<Language, { offline: PageText; welcome: PageText; localWelcome: PageText }> = {
  en: {
    offline: {
      title: 'This PDA is offline',
      body: (
        host,
      ) => `<p>${host} is currently unreachable. It runs on its owner’s computer, which may be asleep, switched off or offline.</p>
<p>No data is lost. Try again later.</p>
<hr>
<p class="secondary">Is this your PDA? Check that the computer is on and that the page “Address and exposure” shows it as reachable.</p>`,
    },
    welcome: {
      title: 'A relay for personal data accounts',
      body: (domain) =>
        `<p>Accounts under ${domain} run on their owners’ own computers. This server forwards connections to them and cannot read what is transferred.</p>`,
    },
    localWelcome: {
      title: 'A relay for personal data accounts',
      body: (domain) =>
        `<p>This server forwards connections to the accounts under ${domain}. It is for development on one computer: the connections are not encrypted.</p>`,
    },
  },
  de: {
    offline: {
      title: 'Dieses PDA ist offline',
      body: (
        host,
      ) => `<p>${host} ist zurzeit nicht erreichbar. Es läuft auf dem Computer der Person, der es gehört. Vielleicht ist der Computer im Ruhezustand, ausgeschaltet oder offline.</p>
<p>Es sind keine Daten verloren. Versuche es später noch einmal.</p>
<hr>
<p class="secondary">Ist das dein PDA? Prüfe, ob der Computer an ist und ob die Seite „Adresse und Erreichbarkeit“ es als erreichbar anzeigt.</p>`,
    },
    welcome: {
      title: 'Ein Relay für persönliche Datenkonten',
      body: (domain) =>
        `<p>Die PDAs unter ${domain} laufen auf den eigenen Computern ihrer Besitzer. Dieser Server leitet Verbindungen an sie weiter und kann deren Inhalt nicht lesen.</p>`,
    },
    localWelcome: {
      title: 'Ein Relay für persönliche Datenkonten',
      body: (domain) =>
        `<p>Dieser Server leitet Verbindungen an die PDAs unter ${domain} weiter. Er ist für die Entwicklung auf einem Computer gedacht: Die Verbindungen sind nicht verschlüsselt.</p>`,
    },
  },
};

const renderPage = (language: Language, { title, body }: PageText, name: string): Pick<Page, 'html' | 'headers'> => ({
  headers: { ...HEADERS, 'content-language': language },
  html: buildHtmlPage({
    language,
    title,
    style: STYLE,
    body: `<main>\n<h1>${escapeHtml(title)}</h1>\n${body(`<strong>${escapeHtml(name)}</strong>`)}\n</main>`,
  }),
});

/**
 * Returns the page for an offline PDA. Unregistered names get the same page, so that it does not reveal which
 * names exist.
 */
export const offlinePage = (host: string, language: Language): Page => {
  const { html, headers } = renderPage(language, TEXTS[language].offline, host);
  return { status: 503, html, headers: { ...headers, 'retry-after': String(OFFLINE_RETRY_SECONDS) } };
};

/** Returns the relay's own page. PDAs of local domains receive plain HTTP, which the relay can read. */
export const welcomePage = (relay: { isLocal: boolean; host: string }, language: Language): Page => ({
  status: 200,
  ...renderPage(language, TEXTS[language][relay.isLocal ? 'localWelcome' : 'welcome'], relay.host),
});
