import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isNotFound } from '../../shared/api/problem.ts';
import { Logo } from '../../shared/components/logo.tsx';
import { StatusBadge, type BadgeStatus } from '../../shared/components/status-badge.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';
import { Page } from './page.tsx';
import { MessagePage } from './message-page.tsx';

interface ParentList {
  path: string;
  texts: { pageTitle: string; notFound: string; notFoundText: string; all: string };
}

const crumbsOf = ({ path, texts }: ParentList) => [{ label: texts.pageTitle, to: path }];

interface ItemLoaderProps<Item> {
  list: ParentList;
  /** A null result, or an error for which `isNotFound` is true, means that the item does not exist. */
  query: Pick<UseQueryResult<Item | null>, 'data' | 'error' | 'refetch'>;
  children: (item: Item) => ReactNode;
}

export function ItemLoader<Item>({ list, query: { data, error, refetch }, children }: ItemLoaderProps<Item>) {
  const { path, texts } = list;
  if (data !== undefined && data !== null) return children(data);
  if (data === null || (error !== null && isNotFound(error))) {
    return <MessagePage title={texts.notFound} text={texts.notFoundText} back={{ to: path, label: texts.all }} />;
  }
  return (
    <Page title={texts.pageTitle} crumbs={crumbsOf(list)}>
      {error === null ? <LoadingSkeleton rows={8} /> : <LoadError error={error} retry={() => void refetch()} />}
    </Page>
  );
}

interface ItemPageProps {
  list: ParentList;
  name: string;
  subtitle: string;
  status: BadgeStatus;
  statusText: string;
  actions: ReactNode;
  children: ReactNode;
}

export function ItemPage({ list, name, subtitle, status, statusText, actions, children }: ItemPageProps) {
  return (
    <Page
      crumbs={crumbsOf(list)}
      picture={<Logo url={null} name={name} size={56} />}
      title={name}
      lead={
        <>
          {subtitle}
          <br />
          <StatusBadge status={status} short>
            {statusText}
          </StatusBadge>
        </>
      }
      actions={actions}
    >
      {children}
    </Page>
  );
}
