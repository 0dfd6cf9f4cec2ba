import { Button, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { JsonText } from '../../../shared/components/json-text.tsx';
import { Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './processing-proof.module.css';

const words = m.sharing.proof;

/** Not below `debits`: it is made when the owner wants it, not whenever something changes. */
export const proofQuery = (key: string) =>
  queryOptions({
    queryKey: ['debit-proof', key],
    queryFn: ({ signal }) => call('POST /api/v2.6/owner/debits/*key/proof', { params: { key } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
};

/** "400 Bad Request" */
export function statusText(status: number): string {
  const phrase = PHRASES[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

/** The requester's own call and how it is answered now that nothing is shared. */
export function Proof({ item }: { item: OwnerDebit }) {
  const found = useQuery(proofQuery(item.debit.dataDebitKey));
  return (
    <Section
      title={words.title}
      aside={
        <Button variant="default" size="xs" loading={found.isFetching} onClick={() => void found.refetch()}>
          {words.again}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        {words.text(item.debit.requestClientName)}
      </Text>
      {found.isPending && <LoadingSkeleton rows={3} />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <FactList
            facts={[
              { term: words.call, value: <code className={classes.call}>{found.data.call}</code> },
              {
                term: words.answer,
                value: words.results[found.data.result](statusText(found.data.status)),
                emphasised: true,
              },
              { term: words.time, value: <RelativeTime at={found.data.time} /> },
            ]}
          />
          {found.data.result === 'shared' && (
            <Text size="sm" c="brick" mt="sm" role="alert">
              {words.stillShared}
            </Text>
          )}
          <div className={classes.body}>
            <JsonText value={found.data.body} label={words.body} />
          </div>
        </>
      )}
    </Section>
  );
}
