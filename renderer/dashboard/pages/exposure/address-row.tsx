import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDeviceMobile } from '@tabler/icons-react';
import { ExternalLink } from '../../../shared/components/external-link.tsx';
import { CopyableValue } from '../../../shared/components/copyable-value.tsx';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './exposure-page.module.css';
import { QrCode } from './qr-code.tsx';

const texts = m.exposure.address;

interface AddressRowProps {
  address: string;
  isReachable: boolean;
  /** False if the address does not belong to this PDA. */
  isOwn: boolean;
}

export function AddressRow({ address, isReachable, isOwn }: AddressRowProps) {
  const [opened, dialog] = useDisclosure(false);
  if (!isOwn) {
    return (
      <div className={classes.address}>
        <code>{address}</code>
      </div>
    );
  }
  return (
    <div className={classes.address}>
      <CopyableValue value={address} label={texts.copy} />
      <div className={classes.actions}>
        {isReachable && <ExternalLink url={address}>{texts.open}</ExternalLink>}
        <Button
          variant="default"
          leftSection={<IconDeviceMobile size={16} stroke={1.6} aria-hidden="true" />}
          onClick={dialog.open}
        >
          {texts.phone}
        </Button>
      </div>
      <Dialog opened={opened} onClose={dialog.close} title={texts.phoneTitle}>
        <Stack gap="md" align="center">
          <Text>{texts.phoneText}</Text>
          {!isReachable && <Text c="var(--decision)">{texts.phoneNotYet}</Text>}
          <QrCode uri={address} />
          <CopyableValue value={address} label={texts.copy} />
        </Stack>
      </Dialog>
    </div>
  );
}
