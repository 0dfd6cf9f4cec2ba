import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoonFilled, IconSun } from '@tabler/icons-react';
import { useState } from 'react';
import { type Exposure, type Probe, goDark, reopenAddress } from '../../api/account/exposure.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './exposure-page.module.css';
import { isPublicOrigin } from './status-text.ts';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';

const texts = m.exposure.dark;
const ICON_PROPS = { size: 17, stroke: 1.6, 'aria-hidden': true } as const;

export function DarkSwitch({ exposure: { dark, address, probe, darkSince } }: { exposure: Exposure }) {
  const [isConfirming, dialog] = useDisclosure(false);
  const { busy, problem, run: submit } = useRepeatableSubmit();
  const [isDisconnected, setIsDisconnected] = useState(false);
  const isRemotePage = isPublicOrigin(address, location.origin);

  const run = (action: () => Promise<Exposure>, successText: string) =>
    submit(async () => {
      await action();
      showToast(successText);
    });
  // If the page was loaded over the public address, a successful request closes its own connection: the PDA's response
  // is lost, or the relay sends an error response instead.
  const goDarkRemotely = async () => {
    try {
      await goDark();
    } catch (error) {
      if (!['unreachable', 'unreadable'].includes(toProblem(error).code)) throw error;
    }
    setIsDisconnected(true);
  };

  if (isDisconnected) {
    return (
      <Callout tone="neutral" title={texts.outside.disconnected} urgent>
        {texts.outside.disconnectedText}
      </Callout>
    );
  }
  return (
    <div className={classes.darkSwitch}>
      {dark && address !== null && <ProbeProof probe={probe} since={darkSince} />}
      <div className={classes.darkAction}>
        {dark ? (
          <Button
            size="md"
            leftSection={<IconSun {...ICON_PROPS} />}
            loading={busy}
            onClick={() => void run(reopenAddress, texts.reopened)}
          >
            {texts.reopen}
          </Button>
        ) : (
          <Button
            size="md"
            color="brick"
            leftSection={<IconMoonFilled {...ICON_PROPS} />}
            loading={busy}
            onClick={() => (isRemotePage ? dialog.open() : void run(goDark, texts.done))}
          >
            {texts.go}
          </Button>
        )}
        <Text c="dimmed" className={classes.darkActionText ?? ''}>
          {dark ? texts.reopenText : texts.goText}
        </Text>
      </div>
      <SubmitError problem={problem} />
      <ConfirmDialog
        opened={isConfirming}
        close={dialog.close}
        title={texts.outside.title}
        cancelLabel={texts.outside.keep}
        confirmLabel={texts.go}
        onConfirm={goDarkRemotely}
      >
        {texts.outside.text}
      </ConfirmDialog>
    </div>
  );
}

/** Shows whether the latest probe proves that the address is closed. A probe made before the closing proves nothing. */
function ProbeProof({ probe, since }: { probe: Probe | null; since: string | null }) {
  if (probe === null || (since !== null && Date.parse(probe.at) < Date.parse(since))) {
    return <Callout tone="attention">{texts.noProof}</Callout>;
  }
  const facts = (
    <>
      {texts.checked} <RelativeTime at={probe.at} />, {texts.elapsed(probe.ms)}
      {probe.problem !== null && `: ${probe.problem}`}
    </>
  );
  return probe.reached ? (
    <Callout tone="error" title={texts.proofFailed} urgent>
      {texts.proofFailedText} {facts}
    </Callout>
  ) : (
    <Callout tone="neutral" title={texts.proof}>
      {facts}
    </Callout>
  );
}
