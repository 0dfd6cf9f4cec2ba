import { Text } from '@mantine/core';
import { call } from '../../../shared/api/client.ts';
import type { OwnerContract } from '../../../shared/api/contract.ts';
import { refreshContracts } from '../../api/sharing/network.ts';
import { ConfirmEndDialog } from '../../../shared/overlay/confirm.tsx';
import { m } from '../../../shared/messages/texts.ts';
import lists from '../../../shared/components/lists.module.css';
import type { DialogState } from '../../../shared/overlay/dialog.tsx';

const texts = m.contracts.leave;

interface LeaveDialogProps extends DialogState {
  contract: OwnerContract;
}

export function LeaveDialog({ contract: { contractId, name }, opened, close }: LeaveDialogProps) {
  const leave = async () => {
    await call('POST /api/v2.6/owner/contracts/:contractId/leave', { params: { contractId } });
    await refreshContracts();
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={name} texts={texts} end={leave}>
      <div>
        <ul className={lists.bullets}>
          <li>{texts.points.stops(name)}</li>
          <li>{texts.points.serviceNotified}</li>
          <li>{texts.points.dataStays}</li>
        </ul>
        <Text c="dimmed" mt="sm">
          {texts.undo}
        </Text>
      </div>
    </ConfirmEndDialog>
  );
}
