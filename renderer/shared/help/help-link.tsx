import { Anchor, Menu } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { useLocation } from 'react-router';
import { call } from '../api/client.ts';
import { chapterFor, isLocalHost } from './chapters.ts';
import { m } from '../messages/texts.ts';
import classes from './help-link.module.css';
import { showProblemToast } from '../feedback/toasts.tsx';

/** Away from the machine the guide is the owner's, and a link takes no token along: the way there is asked for first. */
async function openFromElsewhere(chapter: string): Promise<void> {
  // At once, while it is a click that opens it.
  const opened = window.open('about:blank', '_blank');
  if (opened !== null) opened.opener = null;
  try {
    const { base } = await call('POST /api/v2.6/owner/docs-pass', {});
    (opened ?? window).location.href = base + chapter;
  } catch (error) {
    opened?.close();
    showProblemToast(m.help.failed, error);
  }
}

/** What a link to a chapter is made of. */
function leadTo(chapter: string) {
  return {
    href: `/docs/${chapter}`,
    target: '_blank',
    onClick: (event: MouseEvent) => {
      if (isLocalHost(location.hostname)) return;
      event.preventDefault();
      void openFromElsewhere(chapter);
    },
  };
}

/** Opens a chapter in a window of its own. */
export function openChapter(chapter: string): void {
  if (isLocalHost(location.hostname)) window.open(`/docs/${chapter}`, '_blank', 'noopener');
  else void openFromElsewhere(chapter);
}

export function ChapterLink({ chapter, ...rest }: { chapter: string; size: 'sm'; children: string }) {
  return <Anchor {...leadTo(chapter)} {...rest} />;
}

/** To the chapter about this page. */
function useHelp() {
  return leadTo(chapterFor(useLocation().pathname));
}

/** To the chapter about this page. A phone has it in the account's menu only. */
export function HelpLink() {
  return (
    <Anchor
      {...useHelp()}
      visibleFrom="sm"
      size="sm"
      c="dimmed"
      aria-label={m.help.label}
      className={classes.help ?? ''}
    >
      <IconHelpCircle size={16} stroke={1.6} aria-hidden="true" />
      {m.help.help}
    </Anchor>
  );
}

export function HelpMenuItem() {
  return (
    <Menu.Item component="a" {...useHelp()} leftSection={<IconHelpCircle size={16} stroke={1.6} />}>
      {m.help.help}
    </Menu.Item>
  );
}
