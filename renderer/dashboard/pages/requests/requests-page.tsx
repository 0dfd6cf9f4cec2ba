import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Button } from '@mantine/core';
import { IconChevronRight, IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { debitsQuery, waitingDebits, waitingPermission } from '../../api/sharing/debits.ts';
import { findDifferences } from '../../consent/differences.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { type DataNames, toSentenceCase } from '../../../shared/components/display-names.ts';
import { hostOf } from '../../../shared/components/external-link.tsx';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { untilText } from '../../../shared/consent/timing-text.ts';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { permissionToChange } from '../sharing/status-text.ts';
import classes from './requests-page.module.css';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.requests;
const INITIAL_REQUEST_COUNT = 20;

export function RequestsPage() {
  const result = useQuery(debitsQuery);
  const pendingRequests = waitingDebits(result.data ?? []);
  const decidedRequests = (result.data ?? []).filter(
    ({ waiting, debit }) => waiting === null && debit.state !== 'removed',
  );
  return (
    <Page
      title={texts.pageTitle}
      lead={result.data === undefined || result.data.length === 0 ? undefined : texts.lead(pendingRequests.length)}
    >
      <QueryBoundary query={result} rows={5} height={48} />
      {result.data !== undefined && result.data.length === 0 && (
        <EmptyState icon={IconInbox} title={texts.empty.title} actions={<ExampleDataOffer />}>
          {texts.empty.text}
        </EmptyState>
      )}
      {pendingRequests.length > 0 && (
        <ul className={classes.pendingList} aria-label={texts.waiting}>
          {pendingRequests.map((item) => (
            <PendingRequest key={item.debit.dataDebitKey} item={item} />
          ))}
        </ul>
      )}
      {decidedRequests.length > 0 && <DecidedRequests items={decidedRequests} />}
    </Page>
  );
}

function requestText(item: OwnerDebit, names: DataNames): string {
  const permission = waitingPermission(item);
  const currentPermission = permissionToChange(item);
  if (permission === undefined) return '';
  return currentPermission === undefined
    ? texts.asksFor(bundleText(permission.bundle.bundle, names))
    : texts.asksChange(findDifferences(currentPermission, permission, names).length);
}

function PendingRequest({ item }: { item: OwnerDebit }) {
  const { debit, pendingRequester } = item;
  const requester = pendingRequester ?? debit;
  const permission = waitingPermission(item);
  const names = useDataNames();
  const [now] = useState(() => new Date());
  if (permission === undefined) return null;
  return (
    <li>
      <Link to={requestPath(debit.dataDebitKey)} className={classes.card ?? ''} data-list-item>
        <Logo url={requester.requestClientLogoUrl} name={requester.requestClientName} size={44} />
        <span className={classes.text}>
          <span className={classes.name}>
            <UntrustedText>{requester.requestClientName}</UntrustedText>
            {permissionToChange(item) !== undefined && <span className={classes.change}>{texts.change}</span>}
            <small>{hostOf(requester.requestClientUrl)}</small>
          </span>
          <span>
            {requestText(item, names)}, {untilText(permission, now)}.
          </span>
          <span className={classes.purpose}>
            <UntrustedText>{permission.purpose}</UntrustedText>
          </span>
        </span>
        <span className={classes.timeAndLink}>
          <RelativeTime at={permission.dateCreated} />
          <span className={classes.link}>
            {m.sharing.page.decide}
            <IconChevronRight size={16} stroke={1.6} aria-hidden="true" />
          </span>
        </span>
      </Link>
    </li>
  );
}

function DecidedRequests({ items }: { items: readonly OwnerDebit[] }) {
  const [shownCount, setShownCount] = useState(INITIAL_REQUEST_COUNT);
  const names = useDataNames();
  const hiddenCount = items.length - shownCount;
  return (
    <Section title={texts.decided}>
      <table className={classes.table} aria-label={texts.decidedLabel}>
        <thead>
          <tr>
            <th scope="col">{texts.columns.who}</th>
            <th scope="col" data-hidden-on-phone>
              {texts.columns.what}
            </th>
            <th scope="col">{texts.columns.decision}</th>
            <th scope="col" data-hidden-on-phone>
              {texts.columns.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, shownCount).map(({ debit }) => (
            <tr key={debit.dataDebitKey}>
              <th scope="row">
                <Link to={sharingPath(debit.dataDebitKey)} data-list-item>
                  <UntrustedText>{debit.requestClientName}</UntrustedText>
                </Link>
              </th>
              <td data-hidden-on-phone>{toSentenceCase(bundleText(debit.permissionsLatest.bundle.bundle, names))}</td>
              <td>{texts.states[debit.state]}</td>
              <td data-hidden-on-phone>
                <RelativeTime at={debit.permissionsLatest.dateCreated} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hiddenCount > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShownCount(items.length)}>
          {m.shell.showMore(hiddenCount)}
        </Button>
      )}
    </Section>
  );
}
