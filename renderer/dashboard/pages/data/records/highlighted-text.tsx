import { Fragment, type ReactNode } from 'react';

/** The text with what was searched for marked in it. */
export function Highlighted({ text, search }: { text: string; search: string }): ReactNode {
  const wanted = search.trim().toLowerCase();
  const lower = text.toLowerCase();
  // Folding can change the length of a text; marks would then sit on the wrong letters.
  if (wanted === '' || lower.length !== text.length || !lower.includes(wanted)) return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    parts.push(
      <Fragment key={at}>
        {text.slice(from, at)}
        <mark>{text.slice(at, at + wanted.length)}</mark>
      </Fragment>,
    );
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
}
