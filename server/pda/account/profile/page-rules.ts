import { escapeHtml, buildHtmlPage } from '../../../wire/html.ts';
import type { Language } from '../../../wire/language.ts';
import { isObject } from '../../../wire/values.ts';
import { PUBLIC_PAGE_STYLE, publicPageHeaders } from '../../core/public-page.ts';
import { PAGE_TEXTS } from './page-texts.ts';

/* Renders the public profile page. All values are user input and must be escaped. */

export type ProfileTexts = Partial<
  Record<'name' | 'headline' | 'about' | 'place' | 'email' | 'phone' | 'website' | 'birthday', string>
>;

export type PageContent =
  | { kind: 'empty' }
  | { kind: 'profile'; texts: ProfileTexts; photo: string | undefined; notes: readonly string[] }
  /** `properties`: data of records by property of the bundle; undefined if it is too large for a page. */
  | { kind: 'bundle'; properties: Readonly<Record<string, readonly unknown[]>> | undefined };

type PageParts = { host: string; language: Language; content: PageContent };

const STYLE = `${PUBLIC_PAGE_STYLE}
header{display:flex;gap:1.5rem;align-items:center;flex-wrap:wrap}
img{width:7rem;height:7rem;border-radius:50%;object-fit:cover}
.about{margin-top:1.5rem;white-space:pre-line}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.5rem 1.5rem;margin:1.5rem 0 0;padding-top:1.5rem;border-top:1px solid var(--border)}
dt{color:var(--secondary)}dd{margin:0}
li{padding:.5rem 0;border-top:1px solid var(--border);white-space:pre-line}
@media(max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.75rem}}
`;

export const PROFILE_PAGE_HEADERS = publicPageHeaders({ style: STYLE, formTarget: "'none'" });

/** Renders an http or https address as a link, and anything else as text: a `javascript:` link would be unsafe. */
const renderLink = (address: string): string => {
  const text = escapeHtml(address);
  if (!/^https?:\/\//iu.test(address)) return text;
  return `<a href="${text}" rel="nofollow noopener noreferrer">${text.replace(/^https?:\/\//iu, '')}</a>`;
};

const renderEmail = (address: string): string => {
  const text = escapeHtml(address);
  return /^[^\s@?&"<>]+@[^\s@?&"<>]+$/u.test(address) ? `<a href="mailto:${text}">${text}</a>` : text;
};

const formatBirthday = (text: string, language: Language): string => {
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time)) return escapeHtml(text);
  return new Date(time).toLocaleDateString(language === 'de' ? 'de-DE' : 'en-GB', {
    dateStyle: 'long',
    timeZone: 'UTC',
  });
};

const renderProfile = (
  { texts, photo, notes }: Extract<PageContent, { kind: 'profile' }>,
  { host, language }: PageParts,
): string => {
  const labels = PAGE_TEXTS[language];
  const name = texts.name ?? host;
  const renderFact = (label: string, text: string | undefined, renderText = escapeHtml): string =>
    text === undefined ? '' : `<dt>${label}</dt><dd>${renderText(text)}</dd>`;
  const facts = [
    renderFact(labels.place, texts.place),
    renderFact(labels.email, texts.email, renderEmail),
    renderFact(labels.phone, texts.phone),
    renderFact(labels.website, texts.website, renderLink),
    renderFact(labels.birthday, texts.birthday, (text) => formatBirthday(text, language)),
  ].join('');
  const picture =
    photo === undefined
      ? ''
      : `<img src="${escapeHtml(photo)}" alt="${escapeHtml(labels.photoOf(name))}" width="112" height="112">`;
  return [
    `<header>${picture}<div><h1>${escapeHtml(name)}</h1>`,
    texts.headline === undefined ? '' : `<p class="secondary">${escapeHtml(texts.headline)}</p>`,
    '</div></header>',
    texts.about === undefined ? '' : `<p class="about">${escapeHtml(texts.about)}</p>`,
    facts === '' ? '' : `<dl>${facts}</dl>`,
    notes.length === 0
      ? ''
      : `<h2>${labels.notes}</h2><ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>`,
  ].join('');
};

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const renderRecord = (data: unknown): string => {
  if (!isObject(data)) return `<ul><li>${escapeHtml(formatValue(data))}</li></ul>`;
  const rows = Object.entries(data).map(
    ([key, value]) => `<dt>${escapeHtml(key)}</dt><dd>${renderLink(formatValue(value))}</dd>`,
  );
  return `<dl>${rows.join('')}</dl>`;
};

const renderBundle = (
  { properties }: Extract<PageContent, { kind: 'bundle' }>,
  { host, language }: PageParts,
): string => {
  const heading = `<h1>${escapeHtml(host)}</h1>`;
  if (properties === undefined) return `${heading}<p class="secondary">${PAGE_TEXTS[language].tooLarge}</p>`;
  const sections = Object.entries(properties).map(
    ([name, records]) => `<h2>${escapeHtml(name)}</h2>${records.map(renderRecord).join('')}`,
  );
  return heading + sections.join('');
};

export const renderProfilePage = (parts: PageParts): string => {
  const { host, language, content } = parts;
  const labels = PAGE_TEXTS[language];
  if (content.kind === 'empty') {
    const body = `<main><h1>${labels.emptyTitle}</h1><p class="secondary">${labels.emptyText}</p></main>\n`;
    return buildHtmlPage({ language, title: labels.emptyTitle, style: STYLE, body });
  }
  const title = content.kind === 'profile' ? (content.texts.name ?? host) : host;
  const main = content.kind === 'profile' ? renderProfile(content, parts) : renderBundle(content, parts);
  const footer = `<footer>${escapeHtml(labels.footer(host))}<br><a href="/api/v2.6/phata/profile">${labels.jsonLink}</a></footer>`;
  return buildHtmlPage({ language, title, style: STYLE, body: `<main>${main}</main>\n${footer}` });
};
