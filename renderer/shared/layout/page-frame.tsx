import { ForeignText } from '../components/foreign-text.tsx';
import { Anchor, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { m } from '../messages/texts.ts';
import classes from './page-frame.module.css';

export interface Crumb {
  label: string;
  to: string;
}

export interface PageProps {
  title: ReactNode;
  /** Window title; needed because the heading may contain more than text. */
  windowTitle: string;
  lead?: ReactNode;
  /** Picture before the title, such as a logo. */
  picture?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Fills the window and scrolls inside, for tables. */
  full?: boolean;
  children?: ReactNode;
}

// The first page of a visit keeps the browser's focus; every later page moves it to its heading.
let shownPath: string | undefined;

function useHeadingFocus(): React.RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const isFirst = shownPath === undefined;
    if (shownPath === pathname) return;
    shownPath = pathname;
    if (isFirst) return;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);
  return heading;
}

export function useWindowTitle(title: string, name: string): void {
  useEffect(() => {
    document.title = m.shell.pageTitle(title, name);
  }, [title, name]);
}

/** Frame of a page. @param siteName name of the account or product, shown after the title in the window title */
export function PageFrame({ siteName, ...page }: PageProps & { siteName: string }) {
  const { title, windowTitle, lead, picture, crumbs, actions, full = false, children } = page;
  const heading = useHeadingFocus();
  useWindowTitle(windowTitle, siteName);
  return (
    <div className={full ? classes.full : classes.page}>
      <header className={classes.header}>
        <div className={classes.words}>
          {crumbs !== undefined && (
            <div className={classes.crumbs}>
              {crumbs.map((crumb) => (
                <Fragment key={crumb.to}>
                  <Anchor component={Link} to={crumb.to} size="sm" c="dimmed">
                    <ForeignText>{crumb.label}</ForeignText>
                  </Anchor>
                  <span aria-hidden="true">/</span>
                </Fragment>
              ))}
            </div>
          )}
          <div className={picture === undefined ? undefined : classes.withPicture}>
            {picture}
            <div>
              <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
                {typeof title === 'string' ? <ForeignText>{title}</ForeignText> : title}
              </Title>
              {lead !== undefined && (
                <Text component="div" size="sm" c="dimmed" className={classes.lead}>
                  {lead}
                </Text>
              )}
            </div>
          </div>
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.sectionHead}>
        <Title order={2}>{title}</Title>
        {aside}
      </div>
      {children}
    </section>
  );
}
