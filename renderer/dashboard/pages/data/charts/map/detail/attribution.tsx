import { ExternalLink, hostOf } from '../../../../../../shared/components/external-link.tsx';
import { UntrustedText } from '../../../../../../shared/components/untrusted-text.tsx';

/** Part of an attribution with its offset in the whole text, and its web address if it is a link. */
interface AttributionPart {
  offset: number;
  text: string;
  url: string | undefined;
}

const MAX_SHOWN_CHARS = 300;

/** Parses an attribution in HTML. The document that the browser creates for this runs no scripts and loads nothing. */
function partsOf(html: string): AttributionPart[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('script, style, template, noscript')) element.remove();
  const parts: AttributionPart[] = [];
  let chars = 0;
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null && chars < MAX_SHOWN_CHARS) {
    const node = walker.currentNode;
    const text = (node.textContent ?? '').replaceAll(/\s+/gu, ' ').slice(0, MAX_SHOWN_CHARS - chars);
    const href = node.parentElement?.closest('a')?.getAttribute('href') ?? '';
    if (text !== '') parts.push({ offset: chars, text, url: hostOf(href) === undefined ? undefined : href });
    chars += text.length;
  }
  return parts;
}

/** Shows text and web links. HTML from the file never becomes part of the page. */
export function Attribution({ html }: { html: string }) {
  return partsOf(html).map(({ offset, text, url }) =>
    url === undefined ? (
      <UntrustedText key={offset}>{text}</UntrustedText>
    ) : (
      <ExternalLink key={offset} url={url} size="xs">
        <UntrustedText>{text}</UntrustedText>
      </ExternalLink>
    ),
  );
}
