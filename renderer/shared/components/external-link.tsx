import { Anchor, VisuallyHidden } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { m } from '../messages/texts.ts';
import classes from './external-link.module.css';

/** Returns undefined unless the scheme is http or https. */
export function hostOf(url: string): string | undefined {
  try {
    const { protocol, host } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? host : undefined;
  } catch {
    return undefined;
  }
}

/** Opens a third-party website in a new window without a referrer. Renders nothing if the URL is not http or https. */
export function ExternalLink({
  url,
  children,
  tabIndex,
  size = 'sm',
}: {
  url: string;
  children?: ReactNode;
  tabIndex?: number;
  size?: 'xs' | 'sm';
}) {
  const host = hostOf(url);
  if (host === undefined) return null;
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size={size}
      className={classes.link ?? ''}
      title={url}
      {...(tabIndex === undefined ? {} : { tabIndex })}
    >
      {children ?? host}
      <IconExternalLink size={14} stroke={1.6} aria-hidden="true" />
      <VisuallyHidden> ({m.requests.page.opensInNewWindow})</VisuallyHidden>
    </Anchor>
  );
}
