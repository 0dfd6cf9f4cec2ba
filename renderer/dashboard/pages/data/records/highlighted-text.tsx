import { Fragment, type ReactNode } from 'react';

export function HighlightedText({ text, search }: { text: string; search: string }): ReactNode {
  const term = search.trim().toLowerCase();
  const lowerText = text.toLowerCase();
  // Lower-casing can change the length of a string, which would put the highlights at wrong positions.
  if (term === '' || lowerText.length !== text.length || !lowerText.includes(term)) return text;
  const segments: ReactNode[] = [];
  let segmentStart = 0;
  for (let index = lowerText.indexOf(term); index !== -1; index = lowerText.indexOf(term, segmentStart)) {
    segments.push(
      <Fragment key={index}>
        {text.slice(segmentStart, index)}
        <mark>{text.slice(index, index + term.length)}</mark>
      </Fragment>,
    );
    segmentStart = index + term.length;
  }
  segments.push(text.slice(segmentStart));
  return segments;
}
