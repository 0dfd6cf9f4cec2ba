import { hash } from 'node:crypto';

// Style and headers of pages outside the dashboard, for anonymous readers and guests. These pages load nothing
// from other servers.

/** Base style sheet. Each page adds its own rules. */
export const PUBLIC_PAGE_STYLE = `
:root{color-scheme:light dark;--page:#faf9f7;--card:#fff;--ink:#26241f;--secondary:#6a655b;--border:#e4e0d8;--accent:#0d6463}
@media(prefers-color-scheme:dark){:root{--page:#191815;--card:#22201c;--ink:#ece8e0;--secondary:#a8a296;--border:#38352f;--accent:#6cc5c0}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:8vh 1rem 2rem;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:36rem;padding:2.5rem;background:var(--card);border:1px solid var(--border);border-radius:1rem;overflow-wrap:anywhere}
h1{margin:0;font-size:1.75rem;line-height:1.25;font-weight:600}
h2{margin:2rem 0 .5rem;font-size:1rem;font-weight:600}
p{margin:.25rem 0 0}
ul{margin:0;padding:0;list-style:none}
a{color:var(--accent)}
.secondary,footer{color:var(--secondary)}
footer{max-width:36rem;margin-top:1.5rem;font-size:.8125rem;text-align:center}
footer a{display:inline-block;padding:.625rem}
@media(max-width:30rem){body{padding-top:1rem}main{padding:1.5rem}}
`;

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Declares a response with a page. */
export const describeHtmlPage = (description: string) => ({ description, contentType: HTML_TYPE });

/** Returns true for a browser, which gets a page instead of JSON. @param accept the `Accept` header */
export const acceptsHtml = (accept: string | undefined): boolean => accept?.includes('text/html') === true;

/**
 * Returns the headers of a page: neither cached nor indexed by search engines, and restricted to its own resources.
 * @param options.style the whole style sheet of the page
 * @param options.formTarget where forms of the page may be sent
 * @param options.hasMedia true if the page plays audio or video
 * @param options.hasScript true if the page loads a script of this server
 */
export const publicPageHeaders = (options: {
  style: string;
  formTarget: "'none'" | "'self'";
  hasMedia?: boolean;
  hasScript?: boolean;
}): Map<string, string> => {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', options.style, 'base64')}'`,
    ...(options.hasScript === true ? ["script-src 'self'"] : []),
    "img-src 'self'",
    ...(options.hasMedia === true ? ["media-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${options.formTarget}`,
    "frame-ancestors 'none'",
  ].join('; ');
  return new Map([
    ['content-security-policy', policy],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['x-robots-tag', 'noindex'],
    ['cache-control', 'no-store'],
    ['vary', 'accept-language'],
  ]);
};
