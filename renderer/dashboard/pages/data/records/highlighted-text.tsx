import { Fragment, type ReactNode } from 'react';

export function HighlightedText({ text, search }: { text: string; search: string }): ReactNode {
  const term = search.trim().toLowerCase();
  const lowerText = text.toLowerCase();
  // Lower-casing can change the length of a string, which would put the highlights at wrong positions.
  if (term === '' || lowerText.length !== text.length || !lowerText.includes(term)) return text;
  const segments: ReactNode[] = [];
  let from = 0;
  for (let index = lowerText.indexOf(term); index !== -1; index = lowerText.indexOf(term, from)) {
    segments.push(
      <Fragment key={index}>
        {text.slice(from, index)}
        <mark>{text.slice(index, index + term.length)}</mark>
      </Fragment>,
    );
    from = index + term.length;
  }
  segments.push(text.slice(from));
  return segments;
}
