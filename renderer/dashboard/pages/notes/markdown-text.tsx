import { Code, Text } from '@mantine/core';
import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, createElement, useMemo } from 'react';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './markdown-text.module.css';

/** Longer Markdown is shown unformatted, as is Markdown that is nested too deeply to be parsed. */
const MAX_MARKDOWN_CHARS = 20_000;
const MAX_DEPTH = 20;
const MAX_SHOWN_CHARS = 100_000;

function parse(text: string): Token[] | undefined {
  if (text.length > MAX_MARKDOWN_CHARS) return undefined;
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Renders Markdown. Shows HTML as text and pictures as their description, so that nothing is executed or loaded. */
export function MarkdownText({ text }: { text: string }) {
  const tokens = useMemo(() => parse(text), [text]);
  return (
    <div className={classes.text}>
      {tokens === undefined ? (
        <p className={classes.plainText}>{text.slice(0, MAX_SHOWN_CHARS)}</p>
      ) : (
        renderTokens(tokens, 0)
      )}
    </div>
  );
}

/** Renders tokens as variadic children, which need no keys. */
function renderTokens(tokens: readonly Token[] = [], depth: number): ReactNode {
  const children = tokens.map((token) => (depth > MAX_DEPTH ? token.raw : renderToken(token, depth + 1)));
  return createElement(Fragment, null, ...children);
}

function renderList({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const children = items.map(({ tokens }) => createElement('li', null, renderTokens(tokens, depth)));
  return ordered
    ? createElement('ol', { start: start === '' ? 1 : start }, ...children)
    : createElement('ul', null, ...children);
}

function renderTable({ header, rows }: Tokens.Table, depth: number): ReactNode {
  const headings = header.map(({ tokens }) => createElement('th', { scope: 'col' }, renderTokens(tokens, depth)));
  const bodyRows = rows.map((row) =>
    createElement('tr', null, ...row.map(({ tokens }) => createElement('td', null, renderTokens(tokens, depth)))),
  );
  return (
    <table>
      <thead>{createElement('tr', null, ...headings)}</thead>
      {createElement('tbody', null, ...bodyRows)}
    </table>
  );
}

function renderLink({ href, tokens }: Tokens.Link, depth: number): ReactNode {
  const content = renderTokens(tokens, depth);
  return hostOf(href) === undefined ? content : <ExternalLink url={href}>{content}</ExternalLink>;
}

function renderToken(token: Tokens.Generic, depth: number): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p>{renderTokens(token.tokens, depth)}</p>;
    // Headings of a note would break the outline of the page.
    case 'heading':
      return <p className={classes.heading}>{renderTokens(token.tokens, depth)}</p>;
    case 'list':
      return renderList(token as Tokens.List, depth);
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={token['checked'] === true}
          readOnly
          disabled
          aria-label={token['checked'] === true ? m.notes.done : m.notes.open}
        />
      );
    case 'table':
      return renderTable(token as Tokens.Table, depth);
    case 'blockquote':
      return <blockquote>{renderTokens(token.tokens, depth)}</blockquote>;
    case 'code':
      return <Code block>{String(token['text'])}</Code>;
    case 'codespan':
      return <Code>{String(token['text'])}</Code>;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{renderTokens(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{renderTokens(token.tokens, depth)}</em>;
    case 'del':
      return <del>{renderTokens(token.tokens, depth)}</del>;
    case 'link':
      return renderLink(token as Tokens.Link, depth);
    case 'image':
      return (
        <Text size="md" span>
          {String(token['text'])}
        </Text>
      );
    case 'escape':
      return String(token['text']);
    default:
      return token.tokens === undefined ? token.raw : renderTokens(token.tokens, depth);
  }
}
