import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SharedDefinition } from '../../shared/api/contract.ts';
import { QueryBoundary, combineQueries } from '../../shared/feedback/query-boundary.tsx';
import { m } from '../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../shared/overlay/dialog.tsx';
import { users } from '../api/account/users.ts';
import { sharedViews } from '../api/shared-views.ts';
import { ShareViewForm } from './share-view-form.tsx';
import { ViewShareList } from './view-shares.tsx';

const texts = m.sharedViews;

export interface ShareableView {
  endpoint: string;
  name: string;
  definition: SharedDefinition;
}

interface ShareViewDialogProps extends DialogState {
  view: ShareableView;
  children: ReactNode;
}

export function ShareViewDialog({ view, opened, close, children }: ShareViewDialogProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.title[view.definition.kind]}>
      <ShareViewContent view={view}>{children}</ShareViewContent>
    </Dialog>
  );
}

export function ShareViewContent({ view, children }: Pick<ShareViewDialogProps, 'view' | 'children'>) {
  return (
    <Stack gap="md">
      <div>{children}</div>
      <SharesAndForm view={view} />
    </Stack>
  );
}

function SharesAndForm({ view }: { view: ShareableView }) {
  const people = useQuery(users);
  const [timesShared, setTimesShared] = useState(0);
  const viewsResult = useQuery(sharedViews);
  const boundary = <QueryBoundary query={combineQueries(people, viewsResult)} rows={3} />;
  if (people.data === undefined || viewsResult.data === undefined) return boundary;
  const { endpoint, definition } = view;
  const shares = viewsResult.data.filter(
    (share) => share.endpoint === endpoint && share.definition.kind === definition.kind,
  );
  return (
    <>
      {boundary}
      {shares.length > 0 && <ViewShareList shares={shares} view={view} />}
      <ShareViewForm
        key={timesShared}
        view={view}
        shares={shares}
        people={people.data}
        onShared={() => setTimesShared((count) => count + 1)}
      />
    </>
  );
}
