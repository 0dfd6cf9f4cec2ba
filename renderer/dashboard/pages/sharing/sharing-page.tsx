import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Anchor, Button, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerApplication, OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { applications } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, requestPath, sharingPath } from '../../navigation.ts';
import { ConsentMap } from './consent-map.tsx';
import { OtherReaders } from './other-readers.tsx';
import { useOtherReaders } from './use-other-readers.ts';
import { StopApplicationDialog } from '../applications/stop-dialog.tsx';
import { stopSharing } from './revocation.tsx';
import classes from './sharing-page.module.css';
import { isReadable, isShared, mainPermission, debitStatusText } from './status-text.ts';
import { ResumeButton } from './pause/resume-button.tsx';
import { type ApplicationReader, applicationReaders, collectReaders, consentWidth } from './readers.ts';

const words = m.sharing;
const MAX_LISTED_PAST_CONSENTS = 20;

/** Page of all readers: what each can read, until when, and when it last read. */
export function SharingPage() {
  const result = useQuery(debits);
  const [now] = useState(() => new Date());
  const items = (result.data ?? []).filter(({ debit }) => debit.state !== 'pending' && debit.state !== 'removed');
  const activeConsents = items.filter(isShared).toSorted((a, b) => consentWidth(b) - consentWidth(a));
  const catalogue = useQuery(applications).data ?? [];
  const readers = applicationReaders(catalogue);
  const otherReaders = useOtherReaders();
  const readableConsents = activeConsents.filter(isReadable);
  const unreadableConsents = activeConsents.filter((item) => !isReadable(item));
  const readerCount = collectReaders(items, catalogue).length;
  const isEmpty = items.length === 0 && readers.length === 0 && otherReaders.length === 0;
  const pastConsents = items.filter((item) => !isShared(item));
  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={isEmpty || (readerCount === 0 && otherReaders.length > 0) ? undefined : words.lead(readerCount)}
    >
      {result.isPending && <LoadingSkeleton rows={6} height={44} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && isEmpty && (
        <EmptyState icon={IconEye} title={words.empty.title} actions={<ExampleDataOffer />}>
          {words.empty.text}
        </EmptyState>
      )}
      {readableConsents.length > 0 && (
        <>
          <ConsentMap items={readableConsents} now={now} hasOtherReaders={readers.length > 0} />
          <ConsentSection title={words.now} items={readableConsents} now={now} />
        </>
      )}
      {unreadableConsents.length > 0 && <ConsentSection title={words.notNow} items={unreadableConsents} now={now} />}
      {readers.length > 0 && <Readers readers={readers} catalogue={catalogue} />}
      {otherReaders.length > 0 && <OtherReaders readers={otherReaders} />}
      {pastConsents.length > 0 && <PastConsents items={pastConsents} now={now} />}
    </Page>
  );
}

interface ReadersProps {
  readers: readonly ApplicationReader[];
  catalogue: readonly OwnerApplication[];
}

function Readers({ readers, catalogue }: ReadersProps) {
  const [applicationToStop, setApplicationToStop] = useState<OwnerApplication>();
  return (
    <Section title={words.readers.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.readers.text}
      </Text>
      <ul className={classes.list}>
        {readers.map(({ id, name, logo, accessText }) => (
          <li key={id} className={classes.line}>
            <Logo url={logo} name={name} size={36} />
            <div className={classes.words}>
              <Link to={applicationPath(id)} className={classes.name ?? ''} data-alone>
                <ForeignText>{name}</ForeignText>
              </Link>
              <span>
                {words.canSee(accessText)}{' '}
                <Anchor
                  component={Link}
                  to={applicationPath(id, 'view')}
                  size="sm"
                  aria-label={words.readers.viewLabel(name)}
                >
                  {words.readers.view}
                </Anchor>
              </span>
            </div>
            <Button
              variant="default"
              size="xs"
              c="var(--stop)"
              className={classes.stop ?? ''}
              aria-label={words.readers.stopLabel(name)}
              onClick={() => setApplicationToStop(catalogue.find(({ item }) => item.application.id === id))}
            >
              {words.readers.stop}
            </Button>
          </li>
        ))}
      </ul>
      {applicationToStop !== undefined && (
        <StopApplicationDialog application={applicationToStop} opened close={() => setApplicationToStop(undefined)} />
      )}
    </Section>
  );
}

function ConsentSection({ title, items, now }: { title: string; items: readonly OwnerDebit[]; now: Date }) {
  return (
    <Section title={title}>
      <ConsentList items={items} now={now} />
    </Section>
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
  const [shownCount, setShownCount] = useState(MAX_LISTED_PAST_CONSENTS);
  const hiddenCount = items.length - shownCount;
  return (
    <Section title={words.before}>
      <ConsentList items={items.slice(0, shownCount)} now={now} />
      {hiddenCount > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShownCount(items.length)}>
          {words.more(hiddenCount)}
        </Button>
      )}
    </Section>
  );
}

function seesText({ debit }: OwnerDebit, state: Permission['state'], dataText: string): string {
  if (debit.pausedUntil !== undefined) return words.pause.cannotSee(dataText);
  if (debit.state === 'enabled') return (state === 'scheduled' ? words.willSee : words.canSee)(dataText);
  return (debit.state === 'rejected' ? words.requested : words.couldSee)(dataText);
}

function ConsentRow({ item, now }: { item: OwnerDebit; now: Date }) {
  const { debit, waiting, lastRead, reads } = item;
  const [busy, setBusy] = useState(false);
  const isActive = isShared(item);
  const permission = mainPermission(item);
  const dataText = bundleText(permission.bundle.bundle);
  const name = debit.requestClientName;
  const stop = async () => {
    setBusy(true);
    await stopSharing(item);
    setBusy(false);
  };
  return (
    <li className={classes.line} data-past={!isActive || undefined}>
      <Logo url={debit.requestClientLogoUrl} name={name} size={36} />
      <div className={classes.words}>
        <Link to={sharingPath(debit.dataDebitKey)} className={classes.name ?? ''} data-alone>
          <ForeignText>{name}</ForeignText>
        </Link>
        <span>{seesText(item, permission.state, dataText)}</span>
        <span className={classes.soft}>{toSentenceCase(debitStatusText(item, now))}</span>
        {debit.pausedUntil !== undefined && (
          <div>
            <ResumeButton debit={debit} />
          </div>
        )}
        {waiting !== null && (
          <Anchor component={Link} to={requestPath(debit.dataDebitKey)} size="sm" c="var(--decision)">
            {words.waiting}
          </Anchor>
        )}
      </div>
      <div className={classes.read}>
        {debit.state === 'rejected' ? null : lastRead === null ? (
          <Text size="sm" c="dimmed">
            {words.never}
          </Text>
        ) : (
          <>
            <span>
              {words.lastRead} <RelativeTime at={lastRead} />
            </span>
            <span className={classes.soft}>{words.reads(reads)}</span>
          </>
        )}
      </div>
      {isActive && (
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          className={classes.stop ?? ''}
          loading={busy}
          aria-label={words.stopLabel(name, dataText)}
          onClick={() => void stop()}
        >
          {words.stop}
        </Button>
      )}
    </li>
  );
}
