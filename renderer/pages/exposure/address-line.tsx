import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDeviceMobile } from '@tabler/icons-react';
import { OutsideLink } from '../../components/consent/outside-link.tsx';
import { Copied } from '../../components/copied.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { m } from '../../messages/texts.ts';
import classes from './exposure-page.module.css';
import { QrCode } from './qr-code.tsx';

const words = m.exposure.address;

interface AddressLineProps {
  address: string;
  isAnswering: boolean;
  /** It is this PDA that answers there, if anybody. */
  isOurs: boolean;
}

/** The address, to be taken elsewhere: copied, opened, or read by the camera of a phone; but nobody is sent to a stranger. */
export function AddressLine({ address, isAnswering, isOurs }: AddressLineProps) {
  const [opened, dialog] = useDisclosure(false);
  if (!isOurs) {
    return (
      <div className={classes.address}>
        <code>{address}</code>
      </div>
    );
  }
  return (
    <div className={classes.address}>
      <Copied value={address} label={words.copy} />
      <div className={classes.actions}>
        {isAnswering && <OutsideLink url={address}>{words.open}</OutsideLink>}
        <Button
          variant="default"
          leftSection={<IconDeviceMobile size={16} stroke={1.6} aria-hidden="true" />}
          onClick={dialog.open}
        >
          {words.phone}
        </Button>
      </div>
      <Dialog opened={opened} onClose={dialog.close} title={words.phoneTitle}>
        <Stack gap="md" align="center">
          <Text size="sm">{words.phoneText}</Text>
          {!isAnswering && (
            <Text size="sm" c="var(--decision)">
              {words.phoneNotYet}
            </Text>
          )}
          <QrCode address={address} />
          <Copied value={address} label={words.copy} />
        </Stack>
      </Dialog>
    </div>
  );
}
