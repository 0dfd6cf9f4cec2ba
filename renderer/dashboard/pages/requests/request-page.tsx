import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { debitQuery, waitingPermission } from '../../api/sharing/debits.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { sharingPath } from '../../navigation.ts';
import { Decision } from './decision.tsx';

const texts = m.requests.page;
const CRUMBS = [{ label: m.requests.pageTitle, to: '/requests' }];

export function RequestPage() {
  const key = useParams()['*'] ?? '';
  return <Request key={key} dataDebitKey={key} />;
}

function Request({ dataDebitKey }: { dataDebitKey: string }) {
  const result = useQuery({ ...debitQuery(dataDebitKey), refetchOnMount: 'always' });
  const [initialPermissionId, setInitialPermissionId] = useState<string>();
  const permission = result.data === undefined ? undefined : waitingPermission(result.data);
  // Only a fresh response can show that no request is pending, because the cache may be older than the request to which
  // a link leads.
  if (result.isPending || (result.isSuccess && permission === undefined && !result.isFetchedAfterMount)) {
    return (
      <Page title={m.requests.pageTitle} crumbs={CRUMBS}>
        <LoadingSkeleton rows={8} height={24} />
      </Page>
    );
  }
  // A cached request and the state of the switches survive a failed refetch.
  if (result.data === undefined || (result.isError && permission === undefined)) {
    const isMissing = isNotFound(result.error);
    return (
      <Page
        title={isMissing ? texts.notFound : m.requests.pageTitle}
        windowTitle={m.requests.pageTitle}
        crumbs={CRUMBS}
      >
        {isMissing ? (
          <EmptyState
            icon={IconInbox}
            title={texts.notFoundShort}
            actions={
              <Button component={Link} to="/requests" variant="default">
                {texts.back}
              </Button>
            }
          >
            {texts.notFoundText}
          </EmptyState>
        ) : (
          <LoadError error={result.error} retry={() => void result.refetch()} />
        )}
      </Page>
    );
  }
  // Already decided, possibly in another session: the consent page shows the result.
  if (permission === undefined) return <Navigate to={sharingPath(dataDebitKey)} replace />;
  if (initialPermissionId === undefined) setInitialPermissionId(permission.permissionId);
  const hasChanged = initialPermissionId !== undefined && initialPermissionId !== permission.permissionId;
  // The key resets all switches for a newer request.
  return <Decision key={permission.permissionId} item={result.data} permission={permission} hasChanged={hasChanged} />;
}
