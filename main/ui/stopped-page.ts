import { hash } from 'node:crypto';
import { escapeHtml } from '../../server/wire/html.ts';
import { buildFailureText } from './failure-text-rules.ts';
import type { ServerState } from '../server/process.ts';
import { en, type Texts } from '../texts/en.ts';

// While no server is running, the window shows this page: HTML without scripts or external resources.

/** Targets of the links. Only pages that the app created may follow them. */
export const START_LINK = 'pda-shell:try-again';
export const QUIT_LINK = 'pda-shell:quit';

/** The colours match the dashboard's themes, so that nothing flashes between the pages. */
const STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf8; --ink: #211f1b; --muted: #635d53; --line: #e0dcd4; --accent: #0f5d58; --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --paper: #181715; --ink: #ece9e3; --muted: #aba498; --line: #302d28; --accent: #78bdb4; --on-accent: #10201f } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 32px; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif }
main { width: min(640px, 100%) }
h1 { font-size: 24px; font-weight: 600; margin: 0 0 16px }
p { margin: 0 0 16px; overflow-wrap: anywhere }
pre { max-height: 40vh; overflow: auto; margin: 0 0 24px; padding: 16px; border: 1px solid var(--line); border-radius: 8px; color: var(--muted);
  font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
a { display: inline-block; margin-right: 16px; padding: 8px 16px; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none }
a.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`;
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export type StoppedState = Exclude<ServerState, { kind: 'running' | 'stopping' }>;

export function buildStoppedPageUrl(state: StoppedState, texts: Texts = en): string {
  return `data:text/html;charset=utf-8;base64,${Buffer.from(renderHtml(state, texts)).toString('base64')}`;
}

/** Returns true for a page of the app itself. Other pages cannot navigate to such a URL. */
export function isShellPage(url: string): boolean {
  return url.startsWith('data:text/html;charset=utf-8;base64,');
}

function renderHtml(state: StoppedState, texts: Texts): string {
  const { title, paragraphs, logLines, canStart } = buildFailureText(state, texts);
  const { failure, commands } = texts;
  const log =
    logLines.length === 0
      ? ''
      : `<p>${escapeHtml(failure.lastOutput)}</p><pre tabindex="0">${escapeHtml(logLines.join('\n'))}</pre>`;
  const links = canStart
    ? `<p><a class="primary" href="${START_LINK}">${escapeHtml(commands.tryAgain)}</a><a href="${QUIT_LINK}">${escapeHtml(commands.quit)}</a></p>`
    : '';
  return `<!doctype html><html lang="${texts.language}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('')}${log}${links}</main></body></html>`;
}
