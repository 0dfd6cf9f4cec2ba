import { Button, Group, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationView, refreshApplications } from '../../api/access-queries.ts';
import { call } from '../../api/client.ts';
import type { OwnerApplication } from '../../api/contract.ts';
import { tell, tellProblem } from '../../components/notices.tsx';
import { m } from '../../messages/en.ts';
import classes from './stop-application.module.css';

const words = m.applications.stop;

interface StopApplicationProps {
  application: OwnerApplication;
  opened: boolean;
  close: () => void;
}

/** Says what will be so at once, and then it is. */
export function StopApplication({ application, opened, close }: StopApplicationProps) {
  const { name } = application.item.application.info;
  return (
    <Modal opened={opened} onClose={close} title={words.title(name)} closeButtonProps={{ 'aria-label': m.shell.close }}>
      <Stop application={application} close={close} />
    </Modal>
  );
}

function Stop({ application, close }: { application: OwnerApplication; close: () => void }) {
  const { id, info } = application.item.application;
  const view = useQuery(applicationView(id));
  const running = (view.data?.debits ?? []).filter(({ state }) => state === 'enabled').length;
  const [busy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    try {
      await call('GET /api/v2.6/applications/:id/disable', { params: { id } });
      await refreshApplications();
      close();
      tell(words.done(info.name), words.doneText);
    } catch (error) {
      tellProblem(m.shell.problem.notDone, error);
      setBusy(false);
    }
  };
  return (
    <>
      <Text size="sm">{words.text}</Text>
      <ul className={classes.points}>
        <li>
          {words.points.access} {application.sessions > 0 && words.points.sessions(application.sessions)}
        </li>
        <li>{running === 0 ? words.points.noDebits : words.points.debits(running)}</li>
        <li>{words.points.kept}</li>
      </ul>
      <Text size="sm" c="dimmed">
        {words.undo}
      </Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={close} data-autofocus>
          {words.keep}
        </Button>
        <Button color="brick" loading={busy} onClick={() => void stop()}>
          {words.action(info.name)}
        </Button>
      </Group>
    </>
  );
}
