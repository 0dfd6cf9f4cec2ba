import type { ReactNode } from 'react';
import { Anchor } from '@mantine/core';
import { ExternalLink } from '../../../../shared/components/external-link.tsx';
import type { FormattedValue } from './field-format.ts';
import classes from './field-value.module.css';

interface FieldValueProps {
  value: FormattedValue;
  /** Contents instead of the plain text, for marked matches of a search. */
  children?: ReactNode;
  /** Links cannot be reached with the Tab key. For grids, in which the arrow keys move. */
  inGrid?: boolean;
}

/** Address that starts a message to one recipient, without further headers. */
const mailAddress = (email: string): string => `mailto:${encodeURI(email).replaceAll(/[?&#]/gu, encodeURIComponent)}`;

/** Formatted value of a record: text, link or colour. An exception is underlined and its tooltip says why. */
export function FieldValue({ value, children, inGrid = false }: FieldValueProps) {
  const { text, kind, title, url } = value;
  const content = <bdi>{children ?? text}</bdi>;
  if (kind === 'link' && url !== undefined) {
    return (
      <span onClick={(event) => event.stopPropagation()}>
        <ExternalLink url={url} {...(inGrid ? { tabIndex: -1 } : {})}>
          {content}
        </ExternalLink>
      </span>
    );
  }
  if (kind === 'email' && !inGrid) {
    return (
      <Anchor href={mailAddress(text)} size="sm">
        {content}
      </Anchor>
    );
  }
  return (
    <span className={classes.value} data-kind={kind} title={title}>
      {kind === 'colour' && <span className={classes.swatch} style={{ backgroundColor: text }} aria-hidden="true" />}
      {content}
      {kind === 'exception' && !inGrid && <small className={classes.note}>{title}</small>}
    </span>
  );
}
