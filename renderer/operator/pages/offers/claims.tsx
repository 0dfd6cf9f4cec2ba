import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Section } from '../../../shared/layout/page-frame.tsx';
import type { Offer } from '../../api/client.ts';
import { claims } from '../../api/queries.ts';
import { InfiniteList } from '../../components/infinite-list.tsx';
import { Note } from '../../components/note.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import tableClasses from '../../components/table.module.css';
import { messages } from '../../messages/texts.ts';

const texts = messages.offers.claims;

/** Shows the provider which PDAs have a confirmed claim. Omits the credentials of claims, which are for programs. */
export function Claims({ offer }: { offer: Offer }) {
  const result = useInfiniteQuery(claims(offer.offerId));
  const confirmedCount = result.data?.pages[0]?.count ?? offer.counts?.confirmed ?? 0;
  const isBelowMinimum = confirmedCount < offer.requiredMinUser;
  return (
    <Section title={texts.title}>
      <InfiniteList
        list={{
          items: result.data?.pages.flatMap((page) => page.claims),
          error: result.error,
          hasMore: result.hasNextPage && !isBelowMinimum,
          isLoadingMore: result.isFetchingNextPage,
          loadMore: () => void result.fetchNextPage(),
          retry: () => void result.refetch(),
        }}
        emptyState={<Note>{isBelowMinimum ? texts.progress(confirmedCount, offer.requiredMinUser) : texts.none}</Note>}
        singular={texts.singular}
        plural={texts.plural}
      >
        {(items) => (
          <>
            <div className={tableClasses.scrollContainer} tabIndex={0} role="group" aria-label={texts.title}>
              <table className={tableClasses.table}>
                <thead>
                  <tr>
                    <th scope="col">{texts.pda}</th>
                    <th scope="col">{texts.claimed}</th>
                    <th scope="col">{texts.debit}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ user, dataDebitId, dateCreated }) => (
                    <tr key={dataDebitId}>
                      <th scope="row">{user.address}</th>
                      <td>
                        <Timestamp at={dateCreated} />
                      </td>
                      <td>
                        <code>{dataDebitId}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Text size="xs" c="dimmed" mt="sm">
              {texts.credentialsHint}
            </Text>
          </>
        )}
      </InfiniteList>
    </Section>
  );
}
