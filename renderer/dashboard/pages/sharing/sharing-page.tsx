import { Button, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ConsentRow } from './consent-row.tsx';
import { ReaderDiagram } from './reader-diagram.tsx';
import { summariseReaders } from './readers/reader.ts';
import { ReaderList } from './readers/reader-list.tsx';
import { useReaders } from './readers/use-readers.ts';
import classes from './sharing-page.module.css';
import { isEnabled, isReadable } from './status-text.ts';

const texts = m.sharing;
const INITIAL_PAST_CONSENT_COUNT = 20;

export function SharingPage() {
  const [now] = useState(() => new Date());
  const listHeading = useRef<HTMLHeadingElement>(null);
  const { readers, isPending, error, retry } = useReaders(now);
  const items = (useQuery(debitsQuery).data ?? []).filter(
    ({ debit }) => debit.state !== 'pending' && debit.state !== 'removed',
  );
  const inactiveConsents = items.filter((item) => isEnabled(item) && !isReadable(item));
  const pastConsents = items.filter((item) => !isEnabled(item));
  const isComplete = !isPending && error === null;
  const isEmpty = items.length === 0 && readers.length === 0;
  const { recipientCount, isPublic } = summariseReaders(readers);
  return (
    <Page
      title={texts.pageTitle}
      lead={
        isComplete && !isEmpty ? (
          <Text span size="lead" c="var(--ink)">
            {(isPublic ? texts.leadPublic : texts.lead)(recipientCount)}
          </Text>
        ) : undefined
      }
    >
      {isPending && readers.length === 0 && <LoadingSkeleton rows={6} height={44} />}
      {!isPending && error !== null && <LoadError title={texts.incomplete} error={error} retry={retry} />}
      {isComplete && isEmpty && (
        <EmptyState icon={IconEye} title={texts.empty.title} actions={<ExampleDataOffer />}>
          {texts.empty.text}
        </EmptyState>
      )}
      {readers.length > 0 && <ReaderDiagram readers={readers} listHeading={listHeading} />}
      {readers.length > 0 && (
        <Section title={texts.now} headingRef={listHeading}>
          <ReaderList readers={readers} now={now} heading={listHeading} />
          {isPending && (
            <Text role="status" c="dimmed" mt="sm">
              {texts.loadingMore}
            </Text>
          )}
        </Section>
      )}
      {inactiveConsents.length > 0 && (
        <Section title={texts.notNow}>
          <ConsentList items={inactiveConsents} now={now} />
        </Section>
      )}
      {pastConsents.length > 0 && <PastConsents items={pastConsents} now={now} />}
    </Page>
  );
}

function ConsentList({ items, now }: { items: readonly OwnerDebit[]; now: Date }) {
  return (
    <ul className={classes.list}>
      {items.map((item) => (
        <ConsentRow key={item.debit.dataDebitKey} item={item} now={now} />
      ))}
    </ul>
  );
}

function PastConsents({ items, now }: { items: readonly OwnerDebit[]; now: Date }) {
  const [shownCount, setShownCount] = useState(INITIAL_PAST_CONSENT_COUNT);
  const hiddenCount = items.length - shownCount;
  return (
    <Section title={texts.endedOrDeclined}>
      <ConsentList items={items.slice(0, shownCount)} now={now} />
      {hiddenCount > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShownCount(items.length)}>
          {m.shell.showMore(hiddenCount)}
        </Button>
      )}
    </Section>
  );
}
