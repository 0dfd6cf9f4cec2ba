import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { applicationView, refreshApplications } from '../../api/sharing/access.ts';
import { call } from '../../../shared/api/client.ts';
import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { ConfirmEndDialog } from '../../../shared/overlay/confirm.tsx';
import { m } from '../../../shared/messages/texts.ts';
import type { DialogState } from '../../../shared/overlay/dialog.tsx';

const texts = m.applications.stop;

interface StopDialogProps extends DialogState {
  application: OwnerApplication;
}

export function StopApplicationDialog({ application, opened, close }: StopDialogProps) {
  const { id, info } = application.item.application;
  const stop = async () => {
    await call('GET /api/v2.6/applications/:id/disable', { params: { id } });
    await refreshApplications();
  };
  return (
    <ConfirmEndDialog
      opened={opened}
      close={close}
      name={info.name}
      texts={{ ...texts, submit: texts.action(info.name) }}
      end={stop}
    >
      <Consequences application={application} />
    </ConfirmEndDialog>
  );
}

function Consequences({ application }: { application: OwnerApplication }) {
  const view = useQuery(applicationView(application.item.application.id));
  const runningCount = view.data?.debits.filter(({ state }) => state === 'enabled').length;
  return (
    <div>
      <Text>{texts.text}</Text>
      <Box component="ul" mt="sm" mb="0.75rem" pl="1.25rem">
        <li>
          {texts.points.access} {application.sessions > 0 && texts.points.sessions(application.sessions)}
        </li>
        {runningCount !== undefined && (
          <li>{runningCount === 0 ? texts.points.noDebits : texts.points.debits(runningCount)}</li>
        )}
        <li>{texts.points.dataStays}</li>
      </Box>
      <QueryBoundary query={view} rows={1} />
      <Text c="dimmed" mt="sm">
        {texts.undo}
      </Text>
    </div>
  );
}
