import { type ReactNode, memo } from 'react';
import classes from './json-text.module.css';

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
/** Characters. Colouring more than this would hold up the page; the text itself is always whole. */
const MAX_COLOURED = 100_000;

function colour(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [token, quoted, colon] = match;
    const kind =
      quoted === undefined ? (/^[tfn]/.test(token) ? 'word' : 'number') : colon === undefined ? 'text' : 'key';
    parts.push(
      <span key={match.index} data-kind={kind}>
        {quoted ?? token}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    end = match.index + token.length;
  }
  parts.push(text.slice(end));
  return parts;
}

export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** JSON as a person reads it, coloured by kind. */
export const JsonText = memo(function JsonText({
  value,
  text,
  label,
  plain = false,
}: {
  value?: unknown;
  text?: string;
  label?: string;
  /** No JSON after all: shown as it is. */
  plain?: boolean;
}) {
  const shown = text ?? prettyJson(value);
  return (
    <pre
      className={classes.json}
      tabIndex={label === undefined ? undefined : 0}
      role={label === undefined ? undefined : 'region'}
      aria-label={label}
    >
      {plain || shown.length > MAX_COLOURED ? shown : colour(shown)}
    </pre>
  );
});
