import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isNotFound } from '../../api/problem.ts';
import { Logo } from '../../components/consent/logo.tsx';
import { Mark, type Standing } from '../../components/mark.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { Page } from './page.tsx';
import { Plain } from './plain.tsx';

/** One thing of a list, at an address of its own. */

/** The list that it is on. */
export interface OfList {
  path: string;
  words: { pageTitle: string; gone: string; goneText: string; all: string };
}

const crumbsOf = ({ path, words }: OfList) => [{ label: words.pageTitle, to: path }];

interface ByIdProps<Thing> {
  list: OfList;
  /** Nothing is found where it answers with null or with 404. */
  found: Pick<UseQueryResult<Thing | null>, 'data' | 'error' | 'refetch'>;
  children: (thing: Thing) => ReactNode;
}

export function ById<Thing>({ list, found: { data, error, refetch }, children }: ByIdProps<Thing>) {
  const { path, words } = list;
  if (data !== undefined && data !== null) return children(data);
  if (data === null || (error !== null && isNotFound(error))) {
    return <Plain title={words.gone} text={words.goneText} back={{ to: path, label: words.all }} />;
  }
  return (
    <Page title={words.pageTitle} crumbs={crumbsOf(list)}>
      {error === null ? <Loading rows={8} /> : <Failed error={error} retry={() => void refetch()} />}
    </Page>
  );
}

interface ThingPageProps {
  list: OfList;
  name: string;
  /** What it says of itself, or whose it is. */
  line: string;
  standing: Standing;
  /** Its standing in words. */
  state: string;
  actions: ReactNode;
  children: ReactNode;
}

/** The frame of the page of something that was handed in. */
export function ThingPage({ list, name, line, standing, state, actions, children }: ThingPageProps) {
  return (
    <Page
      crumbs={crumbsOf(list)}
      picture={<Logo url={null} name={name} size={56} />}
      title={name}
      lead={
        <>
          {line}
          <br />
          <Mark standing={standing} short>
            {state}
          </Mark>
        </>
      }
      actions={actions}
    >
      {children}
    </Page>
  );
}
