import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { functionById } from '../../api/functions/queries.ts';
import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { m } from '../../../shared/messages/texts.ts';

const FUNCTIONS_CRUMB = { label: m.functions.pageTitle, to: '/functions' };

export const functionCrumbs = [FUNCTIONS_CRUMB];

export function FunctionPlaceholder(props: { error: unknown; retry: () => void }) {
  return <MissingItemPage {...props} list={FUNCTIONS_CRUMB} texts={m.functions} />;
}

/** Loads the function that the URL names and renders `children` with it, or else `FunctionPlaceholder`. */
export function FunctionLoader({ children }: { children: (ownerFunction: OwnerFunction) => ReactNode }) {
  const { id = '' } = useParams();
  const query = useQuery(functionById(id));
  if (query.data !== undefined) return children(query.data);
  return <FunctionPlaceholder error={query.error} retry={() => void query.refetch()} />;
}
