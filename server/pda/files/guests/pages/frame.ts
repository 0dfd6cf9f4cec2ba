import { buildHtmlPage, escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH, GUEST_SCRIPT_PATH } from '../../../../wire/guest-paths.ts';
import type { Language } from '../../../../wire/language.ts';
import { PUBLIC_PAGE_STYLE, publicPageHeaders } from '../../../core/public-page.ts';
import { GUEST_TEXTS, type GuestTexts } from './texts.ts';

const STYLE = `${PUBLIC_PAGE_STYLE}
h2{font-size:1.125rem}
nav{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:center;width:100%;max-width:36rem;margin-bottom:.5rem}
nav a,nav button{display:inline-block;padding:.625rem 0}
nav a[aria-current]{color:var(--ink);text-decoration:none;font-weight:600}
nav form{margin:0 0 0 auto;display:block}
li{display:flex;gap:.25rem 1.5rem;flex-wrap:wrap;align-items:baseline;padding:.75rem 0;border-top:1px solid var(--border)}
li>span:first-child{flex:1 1 14rem;min-width:0}
li small{display:block;color:var(--secondary);font-size:.875rem}
li a{padding:.625rem 0}
li form{margin:0;display:block}
.actions{display:flex;gap:1.5rem;align-items:baseline}
p.actions{margin-top:1rem}
form+p{margin-top:1rem}
.names li{display:list-item;padding:.25rem 0;border:0}
ul{margin-top:1.5rem}
.link-list+ul{margin-top:0}
.link-list svg{width:1.25rem;height:1.25rem;margin-right:.625rem;vertical-align:-.25rem}
.link-list li{padding:.25rem 0}
.link-list a{flex:1;min-width:0}
.path{display:flex;flex-wrap:wrap;gap:0 .5rem;margin:0 0 .5rem;padding:0;list-style:none}
.path li{padding:0;border:0;gap:0 .5rem}
.path li:not(:last-child)::after{content:"/";color:var(--secondary)}
.names{margin-top:.75rem}
form{margin-top:1.5rem;display:grid;gap:.5rem}
label{margin-top:.5rem}
input,button{font:inherit;padding:.625rem .75rem;border-radius:.5rem;border:1px solid var(--secondary);background:var(--card);color:var(--ink);max-width:100%}
button{margin-top:.75rem;justify-self:start;border-color:var(--accent);background:var(--accent);color:var(--card);cursor:pointer}
button.link-button{margin:0;padding:.625rem 0;border:0;background:none;color:var(--accent);text-decoration:underline}
button.stop{border-color:var(--stop);background:var(--stop)}
.hint{color:var(--secondary);font-size:.875rem;margin:0}
.problem{color:var(--stop);font-weight:600}
.notice{padding:.75rem 1rem;margin-top:1rem;border-left:3px solid var(--accent);background:var(--page)}
.pagination{display:flex;justify-content:space-between;margin-top:1rem}
.pagination a,.button{display:inline-block;padding:.625rem 0}
img,video{display:block;max-width:100%;height:auto;margin-top:1.5rem;border-radius:.5rem}
audio{display:block;width:100%;margin-top:1.5rem}
[hidden]{display:none!important}
.divider{display:flex;align-items:center;gap:1rem;margin:1rem 0 0;color:var(--secondary)}
.divider::before,.divider::after{content:"";flex:1;border-top:1px solid var(--border)}
[data-passkey]{display:grid;gap:.5rem}
section{margin-top:2.5rem;border-top:1px solid var(--border)}
main.wide{max-width:72rem}
nav:has(+main.wide){max-width:72rem}
.scroll{overflow-x:auto;margin-top:1.5rem}
table{border-collapse:collapse;min-width:100%}
th,td{padding:.5rem 1.5rem .5rem 0;border-top:1px solid var(--border);text-align:start;vertical-align:top;font-weight:400}
td{min-width:6rem;max-width:24rem}
th:last-child,td:last-child{padding-right:0}
thead th,thead td{border-top:0;color:var(--secondary);white-space:nowrap}
.number{font-variant-numeric:tabular-nums;text-align:end;white-space:nowrap}
td.share{width:40%;vertical-align:middle}
figure{margin:1.5rem 0 0}
svg.chart{display:block;overflow:visible;width:100%;height:15rem;margin:.75rem 0 .25rem}
td svg.chart{height:.5rem;margin:0}
svg.chart rect{fill:var(--accent)}
svg.chart polyline{fill:none;stroke:var(--accent);stroke-width:2}
svg.chart .points{fill:none;stroke:var(--accent);stroke-width:7;stroke-linecap:round;stroke-opacity:.65}
svg.heat{display:block;width:100%;min-width:44rem;max-width:60rem;fill:var(--secondary);font-size:10px}
svg.heat rect{fill:var(--border)}
svg.heat rect:not([data-level="0"]){fill:var(--accent)}
svg.heat [data-level="1"]{fill-opacity:.35}
svg.heat [data-level="2"]{fill-opacity:.55}
svg.heat [data-level="3"]{fill-opacity:.75}
figure .scroll{margin-top:.75rem}
svg.map{display:block;width:100%;max-width:56rem;background:var(--page);border:1px solid var(--border);border-radius:.5rem}
svg.map path{fill:none;stroke-linejoin:round}
svg.map .land{fill:var(--border);fill-rule:evenodd}
svg.map .border{stroke:var(--card);stroke-width:1}
svg.map .track{stroke:var(--accent);stroke-width:2.5;stroke-opacity:.7}
svg.map{--point:7px}
svg.map [data-size="2"]{--point:10px}
svg.map [data-size="3"]{--point:14px}
svg.map [data-size="4"]{--point:18px}
svg.map .marker{stroke:var(--accent);stroke-linecap:round;stroke-width:var(--point)}
svg.map .marker-outline{stroke:var(--card);stroke-linecap:round;stroke-width:calc(var(--point) + 3px)}
svg.map text{font-size:30px;text-anchor:middle;fill:var(--secondary);stroke:var(--page);stroke-width:4px;paint-order:stroke}
@media(min-width:40rem){svg.map text{font-size:16px}svg.map{--point:10px}svg.map [data-size="2"]{--point:14px}svg.map [data-size="3"]{--point:20px}svg.map [data-size="4"]{--point:26px}}
.day{white-space:nowrap;min-width:0}
.month{table-layout:fixed;width:100%;margin-top:.5rem}
.month th,.month td{padding:.375rem;border:1px solid var(--border);min-width:0;font-size:.875rem}
.month th{border:0;text-align:center}
.month td{height:3.5rem}
.month td span{color:var(--secondary)}
.month td b{display:block;color:var(--accent);text-align:center}
.month ul{display:none}
@media(min-width:48rem){.month td{height:6rem}.month td b{display:none}.month ul{display:block;margin:0}.month li{display:block;padding:0;border:0;line-height:1.3;margin-bottom:.25rem}}
.axis-ends{display:flex;justify-content:space-between;gap:1rem}
:root{--stop:#a3341f}
@media(prefers-color-scheme:dark){:root{--stop:#f0907c}}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

export const GUEST_PAGE_HEADERS = publicPageHeaders({ style: STYLE, formTarget: "'self'", hasMedia: true });
export const PASSKEY_PAGE_HEADERS = publicPageHeaders({ style: STYLE, formTarget: "'self'", hasScript: true });

export type PageGuest = { name: string; csrfToken: string };

export type FrameParts = {
  host: string;
  language: Language;
  guest?: PageGuest | undefined;
  /** True if the owner previews the page, which then links only to other pages and to contents of files. */
  isPreview?: boolean;
  current?: 'files' | 'account';
  /** True if the page has the script for passkeys. */
  hasPasskeyScript?: boolean;
};

export const csrfTokenField = ({ csrfToken }: PageGuest): string =>
  `<input type="hidden" name="form" value="${escapeHtml(csrfToken)}">`;

const navigation = (guest: PageGuest, { language, current, isPreview }: FrameParts): string => {
  const texts = GUEST_TEXTS[language];
  const link = (page: 'files' | 'account', path: string): string =>
    `<a href="${path}"${current === page ? ' aria-current="page"' : ''}>${texts[page]}</a>`;
  if (isPreview === true)
    return `<nav>${link('files', GUEST_PATH)}<span class="secondary">${texts.account}</span><span class="secondary">${texts.signOut}</span></nav>`;
  return `<nav>${link('files', GUEST_PATH)}${link('account', `${GUEST_PATH}/account`)}
<form method="post" action="${GUEST_PATH}/sign-out">${csrfTokenField(guest)}<button class="link-button">${texts.signOut}</button></form></nav>`;
};

/** `body`: escaped HTML. */
export const guestPage = (
  parts: FrameParts,
  { title, body, isWide = false }: { title: string; body: string; isWide?: boolean },
): string => {
  const { host, language, guest } = parts;
  const footer = `<footer>${escapeHtml(GUEST_TEXTS[language].footer(host))}</footer>`;
  const head = guest === undefined ? '' : `${navigation(guest, parts)}\n`;
  return buildHtmlPage({
    language,
    title,
    style: STYLE,
    body: `${head}<main${isWide ? ' class="wide"' : ''}>${body}</main>\n${footer}`,
    script: parts.hasPasskeyScript === true ? GUEST_SCRIPT_PATH : undefined,
  });
};

/** @param extraHtml escaped HTML that follows the text */
export const messagePage = (parts: FrameParts, title: string, text: string, extraHtml = ''): string =>
  guestPage(parts, {
    title,
    body: `<h1>${escapeHtml(title)}</h1><p class="secondary">${escapeHtml(text)}</p>${extraHtml}`,
  });

type FieldParts = {
  name: string;
  label: string;
  type: 'text' | 'password';
  autocomplete: string;
  value?: string;
  hint?: string;
  problem?: string | undefined;
  autofocus?: boolean;
  maxLength?: number;
};

export const field = (parts: FieldParts): string => {
  const { name, label, type, autocomplete, value, hint, problem, autofocus, maxLength } = parts;
  const describedBy = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(problem === undefined ? [] : [`${name}-problem`]),
  ];
  const attributes = [
    `id="${name}" name="${name}" type="${type}" required autocomplete="${autocomplete}"`,
    ...(value === undefined ? [] : [`value="${escapeHtml(value)}"`]),
    ...(describedBy.length === 0 ? [] : [`aria-describedby="${describedBy.join(' ')}"`]),
    ...(problem === undefined ? [] : ['aria-invalid="true"']),
    ...(autofocus === true ? ['autofocus'] : []),
    ...(maxLength === undefined ? [] : [`maxlength="${maxLength}"`]),
    ...(autocomplete === 'username' ? ['autocapitalize="none" spellcheck="false"'] : []),
  ];
  return [
    `<label for="${name}">${escapeHtml(label)}</label><input ${attributes.join(' ')}>`,
    ...(hint === undefined ? [] : [`<p id="${name}-hint" class="hint">${escapeHtml(hint)}</p>`]),
    ...(problem === undefined
      ? []
      : [`<p id="${name}-problem" class="problem" role="alert">${escapeHtml(problem)}</p>`]),
  ].join('\n');
};

export const newPasswordFields = (
  { repeatProblem, ...parts }: Pick<FieldParts, 'name' | 'label' | 'problem'> & { repeatProblem: string | undefined },
  texts: GuestTexts,
): string => {
  const common = { type: 'password', autocomplete: 'new-password' } as const;
  return [
    field({ ...parts, ...common, hint: texts.passwordHint }),
    field({ name: 'repeat', label: texts.repeat, problem: repeatProblem, ...common }),
  ].join('\n');
};

export const formProblem = (text: string | undefined): string =>
  text === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(text)}</p>`;
