import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { debit, waitingPermission } from '../../api/sharing/debits.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { sharingPath } from '../../navigation.ts';
import { Decision } from './decision.tsx';

const words = m.requests.page;
const CRUMBS = [{ label: m.requests.pageTitle, to: '/requests' }];

/** A request: what exactly would be shared, and the owner's decision. */
export function RequestPage() {
  const key = useParams()['*'] ?? '';
  return <Request key={key} dataDebitKey={key} />;
}

function Request({ dataDebitKey }: { dataDebitKey: string }) {
  const found = useQuery({ ...debit(dataDebitKey), refetchOnMount: 'always' });
  const [first, setFirst] = useState<string>();
  const permission = found.data === undefined ? undefined : waitingPermission(found.data);
  // That nothing waits has to be known of now, not of a moment ago: a link may be newer than what is remembered.
  if (found.isPending || (found.isSuccess && permission === undefined && !found.isFetchedAfterMount)) {
    return (
      <Page title={m.requests.pageTitle} windowTitle={m.requests.pageTitle} crumbs={CRUMBS}>
        <LoadingSkeleton rows={8} height={24} />
      </Page>
    );
  }
  // Known data and the state of all switches survive a failed refresh.
  if (found.data === undefined) {
    const gone = isNotFound(found.error);
    return (
      <Page title={gone ? words.gone : m.requests.pageTitle} windowTitle={m.requests.pageTitle} crumbs={CRUMBS}>
        {gone ? (
          <EmptyState
            icon={IconInbox}
            title={m.requests.empty.title}
            actions={
              <Button component={Link} to="/requests" variant="default">
                {words.back}
              </Button>
            }
          >
            {words.goneText}
          </EmptyState>
        ) : (
          <LoadError error={found.error} retry={() => void found.refetch()} />
        )}
      </Page>
    );
  }
  // Decided, here or elsewhere: what became of it is on its own page.
  if (permission === undefined) return <Navigate to={sharingPath(dataDebitKey)} replace />;
  if (first === undefined) setFirst(permission.permissionId);
  const changed = first !== undefined && first !== permission.permissionId;
  // A newer request is another question: every switch is as it asks.
  return <Decision key={permission.permissionId} item={found.data} permission={permission} changed={changed} />;
}
