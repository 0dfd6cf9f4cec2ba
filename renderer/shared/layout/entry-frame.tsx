import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWindowTitle } from './page-frame.tsx';
import { m } from '../messages/texts.ts';
import classes from './entry-frame.module.css';
import { LanguageLinks } from './language-links.tsx';
import { BrandMark } from './brand-mark.tsx';
import { StepTitle } from './step-title.tsx';

interface EntryFrameProps {
  title: string;
  windowTitle: string;
  aboveTitle?: ReactNode;
  text?: ReactNode;
  children?: ReactNode;
  /** Id of a wizard step. A change moves the focus to the heading, unless another element has the focus. */
  step?: string;
  product?: string;
  /** Shows links to the other languages. For the first page of a flow. */
  withLanguageLinks?: boolean;
}

export function EntryFrame({
  title,
  windowTitle,
  aboveTitle,
  text,
  children,
  step,
  product = m.shell.product,
  withLanguageLinks = false,
}: EntryFrameProps) {
  useWindowTitle(windowTitle, '');
  return (
    <main className={classes.frame}>
      <div className={classes.column}>
        <div className={classes.brand}>
          <BrandMark size={32} />
          <span>{product}</span>
          {withLanguageLinks && <LanguageLinks />}
        </div>
        {aboveTitle !== undefined && (
          <Text c="dimmed" mb="xs">
            {aboveTitle}
          </Text>
        )}
        <StepTitle title={title} text={text} step={step} />
        <div className={classes.body}>{children}</div>
      </div>
    </main>
  );
}
