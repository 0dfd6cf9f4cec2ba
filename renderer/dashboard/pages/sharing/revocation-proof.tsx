import { Button, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { JsonText } from '../../../shared/components/json-text.tsx';
import { Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './revocation-proof.module.css';

const texts = m.sharing.proof;

/**
 * Query that makes the request with which the requester reads the data. Change events do not refetch it, because its
 * key does not begin with `debits`.
 */
export const proofQuery = (key: string) =>
  queryOptions({
    queryKey: ['debit-proof', key],
    queryFn: ({ signal }) => call('POST /api/v2.6/owner/debits/*key/proof', { params: { key } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

const STATUS_PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
};

export function statusText(status: number): string {
  const phrase = STATUS_PHRASES[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

export function RevocationProof({ item }: { item: OwnerDebit }) {
  const result = useQuery(proofQuery(item.debit.dataDebitKey));
  return (
    <Section
      title={texts.title}
      aside={
        <Button variant="default" size="xs" loading={result.isFetching} onClick={() => void result.refetch()}>
          {texts.repeat}
        </Button>
      }
    >
      <Text c="dimmed" mb="sm">
        {texts.text(item.debit.requestClientName)}
      </Text>
      <QueryBoundary query={result} rows={3} />
      {result.data !== undefined && (
        <>
          <FactList
            facts={[
              { term: texts.request, value: <code className={classes.request}>{result.data.call}</code> },
              {
                term: texts.response,
                value: texts.results[result.data.result](statusText(result.data.status)),
                emphasised: true,
              },
              { term: texts.time, value: <RelativeTime at={result.data.time} /> },
            ]}
          />
          {result.data.result === 'shared' && (
            <Text c="brick" mt="sm" role="alert">
              {texts.stillShared}
            </Text>
          )}
          <div className={classes.body}>
            <JsonText value={result.data.body} label={texts.body} />
          </div>
        </>
      )}
    </Section>
  );
}
