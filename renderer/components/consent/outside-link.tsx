import { Anchor, VisuallyHidden } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { m } from '../../messages/texts.ts';
import classes from './outside-link.module.css';

/** Host of an address; undefined for what is no address of the web. */
export function hostOf(url: string): string | undefined {
  try {
    const { protocol, host } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? host : undefined;
  } catch {
    return undefined;
  }
}

/** A way out, to an address that somebody else chose: only the web, and it learns nothing about where one came from. */
export function OutsideLink({ url, children }: { url: string; children?: ReactNode }) {
  const host = hostOf(url);
  if (host === undefined) return null;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm" className={classes.link ?? ''} title={url}>
      {children ?? host}
      <IconExternalLink size={14} stroke={1.6} aria-hidden="true" />
      <VisuallyHidden> ({m.requests.page.opens})</VisuallyHidden>
    </Anchor>
  );
}
