import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import type { PreviewedPage } from '../../api/sharing/preview-query.ts';
import { type Crumb, Page } from '../../components/page.tsx';
import classes from './preview-page.module.css';

interface PreviewPageProps {
  title: string;
  crumbs: readonly Crumb[];
  lead: string;
  /** Query of a complete page without scripts. */
  result: UseQueryResult<PreviewedPage>;
  /** Returns the dashboard's path for a previewed page; undefined for other addresses, which open in a new tab. */
  pathOf: (address: string) => string | undefined;
  children?: ReactNode;
}

/** Shows a page as others see it, without scripts. The window title begins with the title of that page. */
export function PreviewPage({ title, crumbs, lead, result, pathOf, children }: PreviewPageProps) {
  const page = result.isError || result.data === undefined ? undefined : prepareForFrame(result.data.html, pathOf);
  const fullTitle = page === undefined ? title : `${isolateText(page.title)} · ${title}`;
  return (
    <Page title={title} windowTitle={fullTitle} crumbs={crumbs} lead={lead}>
      {children}
      <QueryBoundary query={result} rows={8} height={24} />
      {page !== undefined && (
        <iframe
          className={classes.frame}
          title={fullTitle}
          srcDoc={page.srcDoc}
          sandbox="allow-same-origin allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox allow-downloads"
        />
      )}
    </Page>
  );
}

/** Returns the page's title, and the page with links that work in a frame without scripts. */
function prepareForFrame(html: string, pathOf: PreviewPageProps['pathOf']): { title: string; srcDoc: string } {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const link of page.querySelectorAll('a')) {
    const path = pathOf(link.getAttribute('href') ?? '');
    if (path === undefined) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener');
    } else {
      link.setAttribute('href', `${location.pathname}#${path}`);
      link.setAttribute('target', '_top');
    }
  }
  return { title: page.title, srcDoc: `<!doctype html>${page.documentElement.outerHTML}` };
}
