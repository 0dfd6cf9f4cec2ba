import { escapeHtml, buildHtmlPage } from '../../../wire/html.ts';
import type { Language } from '../../../wire/language.ts';
import { PUBLIC_PAGE_STYLE, publicPageHeaders } from '../../core/public-page.ts';
import { sizeText, timeText } from '../page-format.ts';
import { SHARE_TEXTS } from './page-texts.ts';

type SharedFile = { name: string; bytes: number; isInline: boolean; url: string };

export type SharePageContent =
  | { kind: 'unknown' | 'expired' | 'used-up' }
  | { kind: 'password'; action: string; problem: 'wrong' | 'wait' | undefined }
  | {
      kind: 'files';
      name: string;
      files: readonly SharedFile[];
      viewOnly: boolean;
      expires: number | null;
      opensLeft: number | null;
      /** Archive of all files; undefined if there is none. In a preview by the owner, the archive has no URL. */
      archive: { url: string | undefined } | undefined;
      isLaterPage: boolean;
      next: string | undefined;
    };

const STYLE = `${PUBLIC_PAGE_STYLE}
li{display:flex;gap:.25rem 1.5rem;flex-wrap:wrap;align-items:baseline;padding:.75rem 0;border-top:1px solid var(--border)}
li>span:first-child{flex:1 1 14rem}
li small{display:block;color:var(--secondary);font-size:.875rem}
li a{padding:.625rem 0}
.actions{display:flex;gap:1.5rem}
ul{margin-top:1.5rem}
form{margin-top:1.5rem;display:grid;gap:.5rem}
input,button{font:inherit;padding:.625rem .75rem;border-radius:.5rem;border:1px solid var(--secondary);background:var(--card);color:var(--ink)}
button{margin-top:.5rem;justify-self:start;border-color:var(--accent);background:var(--accent);color:var(--card);cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.button{display:inline-block;margin-top:1rem;padding:.625rem 0}
`;

export const SHARE_PAGE_HEADERS = publicPageHeaders({ style: STYLE, formTarget: "'self'" });

const fileRow = (file: SharedFile, viewOnly: boolean, language: Language): string => {
  const texts = SHARE_TEXTS[language];
  const name = escapeHtml(file.name);
  const url = escapeHtml(file.url);
  const openLink = file.isInline
    ? `<a href="${url}" aria-label="${texts.open}: ${name}">${texts.open}</a>`
    : viewOnly
      ? `<span class="secondary">${texts.notViewable}</span>`
      : '';
  const downloadLink = viewOnly
    ? ''
    : `<a href="${url}" download="${name}" aria-label="${texts.download}: ${name}">${texts.download}</a>`;
  const size = escapeHtml(sizeText(file.bytes, language));
  return `<li><span><bdi>${name}</bdi><small>${size}</small></span><span class="actions">${openLink}${downloadLink}</span></li>`;
};

const archiveLink = ({ archive }: Extract<SharePageContent, { kind: 'files' }>, language: Language): string => {
  const { downloadAll } = SHARE_TEXTS[language];
  if (archive === undefined) return '';
  return archive.url === undefined
    ? `<p class="secondary">${downloadAll}</p>`
    : `<a class="button" href="${escapeHtml(archive.url)}" download>${downloadAll}</a>`;
};

const filesBody = (content: Extract<SharePageContent, { kind: 'files' }>, language: Language): string => {
  const texts = SHARE_TEXTS[language];
  const notes = [
    ...(content.expires === null ? [] : [texts.until(timeText(content.expires, language))]),
    ...(content.opensLeft === null ? [] : [texts.opensLeft(content.opensLeft)]),
    ...(content.viewOnly ? [texts.viewOnly] : []),
  ];
  const rows = content.files.map((file) => fileRow(file, content.viewOnly, language)).join('');
  return [
    `<h1><bdi>${escapeHtml(content.name)}</bdi></h1>`,
    ...notes.map((note) => `<p class="secondary">${escapeHtml(note)}</p>`),
    archiveLink(content, language),
    rows === '' ? '' : `<ul>${rows}</ul>`,
    rows === '' && content.next === undefined ? `<p>${content.isLaterPage ? texts.noMore : texts.empty}</p>` : '',
    content.next === undefined ? '' : `<a class="button" href="${escapeHtml(content.next)}">${texts.more}</a>`,
  ].join('');
};

const passwordBody = (
  { action, problem }: Extract<SharePageContent, { kind: 'password' }>,
  language: Language,
): string => {
  const texts = SHARE_TEXTS[language];
  const message = problem === 'wrong' ? texts.passwordWrong : texts.passwordWait;
  const describedBy = problem === undefined ? '' : ' aria-describedby="problem" aria-invalid="true"';
  return `<h1>${texts.passwordTitle}</h1><p class="secondary">${texts.passwordText}</p>
<form method="post" action="${escapeHtml(action)}">
<label for="password">${texts.passwordLabel}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off"${describedBy}>
${problem === undefined ? '' : `<p id="problem" role="alert">${message}</p>`}
<button>${texts.passwordButton}</button>
</form>`;
};

const bodyOf = (content: SharePageContent, language: Language): { title: string; body: string } => {
  const texts = SHARE_TEXTS[language];
  const message = (title: string, text: string) => ({
    title,
    body: `<h1>${title}</h1><p class="secondary">${text}</p>`,
  });
  switch (content.kind) {
    case 'unknown':
      return message(texts.unknownTitle, texts.unknown);
    case 'expired':
      return message(texts.endedTitle, texts.expired);
    case 'used-up':
      return message(texts.endedTitle, texts.usedUp);
    case 'password':
      return { title: texts.passwordTitle, body: passwordBody(content, language) };
    case 'files':
      return {
        title: content.isLaterPage ? `${texts.more}: ${content.name}` : content.name,
        body: filesBody(content, language),
      };
  }
};

export const sharePage = (parts: { host: string; language: Language; content: SharePageContent }): string => {
  const { host, language, content } = parts;
  const { title, body } = bodyOf(content, language);
  const footer = `<footer>${escapeHtml(SHARE_TEXTS[language].footer(host))}</footer>`;
  return buildHtmlPage({ language, title, style: STYLE, body: `<main>${body}</main>\n${footer}` });
};
