import { UntrustedText } from '../components/untrusted-text.tsx';
import { Text, Title } from '@mantine/core';
import { Fragment, type ReactNode, type Ref, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { m } from '../messages/texts.ts';
import { SectionTabs, useSectionTabs } from './section-tabs.tsx';
import classes from './page-frame.module.css';
import { TextLink } from '../components/text-link.tsx';

export interface Crumb {
  label: string;
  to: string;
}

/** The window title defaults to the heading. A heading that is not plain text needs a separate window title. */
type PageTitles = { title: string; windowTitle?: string } | { title: ReactNode; windowTitle: string };

export type PageProps = PageTitles & {
  lead?: ReactNode;
  picture?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Fits the page to the window, so that its content scrolls instead of the page. For tables. */
  fitsWindow?: boolean;
  /** Lets a page with `fitsWindow` grow with its content. For charts and maps. */
  growsWithContent?: boolean;
  children?: ReactNode;
};

type PageFrameProps = PageProps & {
  /** Name of the account or product, shown after the page's title in the window title. */
  siteName: string;
  help?: ReactNode;
};

// The browser sets the focus on the first page after loading. Every later page focuses its heading.
let previousPath: string | undefined;

function useHeadingFocus(): React.RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  // Runs before the paint. Later, it could take the focus from an element that the user has focused in the meantime.
  useLayoutEffect(() => {
    const isFirst = previousPath === undefined;
    if (previousPath === pathname) return;
    previousPath = pathname;
    if (isFirst) return;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);
  return heading;
}

/** @param siteName name of the account or product; may be empty */
export function useWindowTitle(title: string, siteName: string): void {
  useEffect(() => {
    document.title = m.shell.pageTitle(title, siteName);
  }, [title, siteName]);
}

export function PageFrame(page: PageFrameProps) {
  const {
    title,
    lead,
    picture,
    crumbs,
    actions,
    siteName,
    help,
    fitsWindow = false,
    growsWithContent = false,
    children,
  } = page;
  const heading = useHeadingFocus();
  const tabs = useSectionTabs();
  useWindowTitle(page.windowTitle ?? (typeof title === 'string' ? title : ''), siteName);
  const leadText = lead !== undefined && (
    <Text component="div" c="dimmed" className={classes.lead}>
      {lead}
    </Text>
  );
  return (
    <div className={fitsWindow ? classes.windowHeight : classes.page} data-grows={growsWithContent || undefined}>
      {crumbs !== undefined && <Crumbs crumbs={crumbs} />}
      <header className={classes.header} data-tabs={tabs !== null || undefined}>
        <div className={classes.headingAndActions}>
          <div className={classes.heading}>
            {picture}
            <div>
              <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
                {typeof title === 'string' ? <UntrustedText>{title}</UntrustedText> : title}
              </Title>
              {tabs === null && leadText}
            </div>
          </div>
          {actions !== undefined && <div className={classes.actions}>{actions}</div>}
        </div>
        {help}
      </header>
      {tabs !== null && <SectionTabs {...tabs} />}
      {/* Below the tabs, so that the tabs are at the same height on all pages of a section. */}
      {tabs !== null && leadText}
      {children}
    </div>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <div className={classes.crumbs}>
      {crumbs.map((crumb, index) => (
        <Fragment key={crumb.to}>
          {index > 0 && <span aria-hidden="true">/</span>}
          <TextLink to={crumb.to} c="dimmed">
            <UntrustedText>{crumb.label}</UntrustedText>
          </TextLink>
        </Fragment>
      ))}
    </div>
  );
}

interface SectionProps {
  title: string;
  text?: string;
  aside?: ReactNode;
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

export function Section({ title, text, aside, headingRef, children }: SectionProps) {
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.sectionHeader}>
        <Title order={2} {...(headingRef === undefined ? {} : { ref: headingRef, tabIndex: -1 })}>
          {title}
        </Title>
        {aside}
      </div>
      {text !== undefined && (
        <Text c="dimmed" mb="sm">
          {text}
        </Text>
      )}
      {children}
    </section>
  );
}
