import type { ReactNode } from 'react';
import { Anchor } from '@mantine/core';
import { ExternalLink } from '../../../../shared/components/external-link.tsx';
import type { FormattedValue } from './field-format.ts';
import classes from './field-value.module.css';

interface FieldValueProps {
  value: FormattedValue;
  /** Replaces the plain text, for example with highlighted matches. */
  children?: ReactNode;
  /** True in a cell of a grid, where links are not in the Tab order, and email addresses are not links. */
  isInGrid?: boolean;
}

/** Returns a `mailto:` URL that has one recipient and cannot set further headers. */
const mailtoUrl = (email: string): string => `mailto:${encodeURI(email).replaceAll(/[?&#,;]/gu, encodeURIComponent)}`;

export function FieldValue({ value, children, isInGrid = false }: FieldValueProps) {
  const { text, kind, title, url } = value;
  const content = <bdi>{children ?? text}</bdi>;
  if (kind === 'link' && url !== undefined) {
    return (
      <span onClick={(event) => event.stopPropagation()}>
        <ExternalLink url={url} {...(isInGrid ? { tabIndex: -1 } : {})}>
          {content}
        </ExternalLink>
      </span>
    );
  }
  if (kind === 'email' && !isInGrid) {
    return <Anchor href={mailtoUrl(text)}>{content}</Anchor>;
  }
  return (
    <span className={classes.value} data-kind={kind} title={title}>
      {kind === 'colour' && <span className={classes.swatch} style={{ backgroundColor: text }} aria-hidden="true" />}
      {content}
      {kind === 'exception' && !isInGrid && <small className={classes.note}>{title}</small>}
    </span>
  );
}
