import { Anchor, Menu } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { useLocation } from 'react-router';
import { call } from '../api/client.ts';
import { chapterFor, isLocalHost } from './chapters.ts';
import { m } from '../messages/texts.ts';
import classes from './help-link.module.css';
import { showProblemToast } from '../feedback/toasts.tsx';

/**
 * Opens a chapter in a browser that runs on a different machine from the PDA. The guide then requires the owner's
 * session, which a link cannot carry, so this function first requests an address of the guide that works without a
 * token.
 */
async function openRemoteChapter(chapter: string): Promise<void> {
  // Browsers allow a new window only during the click.
  const newWindow = window.open('about:blank', '_blank');
  if (newWindow !== null) newWindow.opener = null;
  try {
    const { base } = await call('POST /api/v2.6/owner/docs-pass', {});
    (newWindow ?? window).location.href = base + chapter;
  } catch (error) {
    newWindow?.close();
    showProblemToast(m.help.failed, error);
  }
}

function chapterLinkProps(chapter: string) {
  return {
    href: `/docs/${chapter}`,
    target: '_blank',
    onClick: (event: MouseEvent) => {
      if (isLocalHost(location.hostname)) return;
      event.preventDefault();
      void openRemoteChapter(chapter);
    },
  };
}

export function openChapter(chapter: string): void {
  if (isLocalHost(location.hostname)) window.open(`/docs/${chapter}`, '_blank', 'noopener');
  else void openRemoteChapter(chapter);
}

export function ChapterLink({ chapter, children }: { chapter: string; children: string }) {
  return <Anchor {...chapterLinkProps(chapter)}>{children}</Anchor>;
}

function useHelpLinkProps() {
  return chapterLinkProps(chapterFor(useLocation().pathname));
}

/** On phones, the link is only in the account menu. */
export function HelpLink() {
  return (
    <Anchor
      {...useHelpLinkProps()}
      visibleFrom="sm"
      c="dimmed"
      aria-label={m.help.label}
      className={classes.helpLink ?? ''}
    >
      <IconHelpCircle size={16} stroke={1.6} aria-hidden="true" />
      {m.help.help}
    </Anchor>
  );
}

export function HelpMenuItem() {
  return (
    <Menu.Item component="a" {...useHelpLinkProps()} leftSection={<IconHelpCircle size={16} stroke={1.6} />}>
      {m.help.help}
    </Menu.Item>
  );
}
