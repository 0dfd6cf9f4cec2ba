import { Anchor, type AnchorProps } from '@mantine/core';
import type { RefAttributes } from 'react';
import { Link, type LinkProps } from 'react-router';

/** Link to another page of the app. */
export function TextLink(props: AnchorProps & Omit<LinkProps, keyof AnchorProps> & RefAttributes<HTMLAnchorElement>) {
  return <Anchor component={Link} {...props} />;
}
