import { type ReactNode, memo } from 'react';
import { CopyIconButton } from '../feedback/states.tsx';
import classes from './json-text.module.css';

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
/** Longer JSON is not highlighted, because rendering would take too long. */
const HIGHLIGHT_MAX_CHARS = 100_000;

function highlight(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let position = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
    if (match.index > position) parts.push(text.slice(position, match.index));
    const [token, quoted, colon] = match;
    const kind =
      quoted === undefined ? (/^[tfn]/.test(token) ? 'literal' : 'number') : colon === undefined ? 'string' : 'key';
    parts.push(
      <span key={match.index} data-kind={kind}>
        {quoted ?? token}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    position = match.index + token.length;
  }
  parts.push(text.slice(position));
  return parts;
}

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Formatted JSON with syntax highlighting: `text`, or `value` if there is no text. */
export const JsonText = memo(function JsonText({
  value,
  text,
  label,
  plain = false,
}: {
  value?: unknown;
  text?: string;
  label?: string;
  /** Disables highlighting for text that is not JSON. */
  plain?: boolean;
}) {
  const content = text ?? formatJson(value);
  return (
    <pre
      className={classes.json}
      tabIndex={label === undefined ? undefined : 0}
      role={label === undefined ? undefined : 'region'}
      aria-label={label}
    >
      {plain || content.length > HIGHLIGHT_MAX_CHARS ? content : highlight(content)}
    </pre>
  );
});

export function CopyableJson({ text, copyLabel, children }: { text: string; copyLabel: string; children: ReactNode }) {
  return (
    <div className={classes.frame}>
      <div className={classes.copyButton}>
        <CopyIconButton value={text} label={copyLabel} />
      </div>
      {children}
    </div>
  );
}
