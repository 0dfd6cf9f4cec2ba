import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoonFilled, IconSun } from '@tabler/icons-react';
import { useState } from 'react';
import { type Exposure, type Probe, goDark, goLight } from '../../api/account/exposure.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './exposure-page.module.css';
import { isOutside } from './status-text.ts';

const words = m.exposure.dark;
const ICON = { size: 17, stroke: 1.6, 'aria-hidden': true } as const;

/** The one strong button: shut to the outside at once, with the failed try from outside as its proof; and open again. */
export function DarkSwitch({ now: { dark, address, probe, darkSince } }: { now: Exposure }) {
  const [asking, dialog] = useDisclosure(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [isShutOut, setShutOut] = useState(false);
  const outside = isOutside(address, location.origin);

  const turn = async (does: () => Promise<Exposure>, done: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await does();
      showToast(done);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  // When the request came through the public address, its response is lost or replaced by the relay's: then it worked.
  const leave = async () => {
    try {
      await goDark();
    } catch (error) {
      if (!['unreachable', 'unreadable'].includes(toProblem(error).code)) throw error;
    }
    setShutOut(true);
  };

  if (isShutOut) {
    return (
      <Callout tone="neutral" title={words.outside.gone} urgent>
        {words.outside.goneText}
      </Callout>
    );
  }
  return (
    <div className={classes.dark}>
      {dark && address !== null && <Proof probe={probe} since={darkSince} />}
      <div className={classes.switch}>
        {dark ? (
          <Button
            size="md"
            leftSection={<IconSun {...ICON} />}
            loading={busy}
            onClick={() => void turn(goLight, words.lit)}
          >
            {words.light}
          </Button>
        ) : (
          <Button
            size="md"
            color="brick"
            leftSection={<IconMoonFilled {...ICON} />}
            loading={busy}
            onClick={() => (outside ? dialog.open() : void turn(goDark, words.done))}
          >
            {words.go}
          </Button>
        )}
        <Text size="sm" c="dimmed" className={classes.switchText ?? ''}>
          {dark ? words.lightText : words.goText}
        </Text>
      </div>
      <SubmitError problem={problem} />
      <ConfirmDialog
        opened={asking}
        close={dialog.close}
        title={words.outside.title}
        keep={words.outside.keep}
        submit={words.go}
        onConfirm={leave}
      >
        {words.outside.text}
      </ConfirmDialog>
    </div>
  );
}

/** Only a try that was made in the dark says something about it. */
function Proof({ probe, since }: { probe: Probe | null; since: string | null }) {
  if (probe === null || (since !== null && Date.parse(probe.at) < Date.parse(since))) {
    return <Callout tone="attention">{words.noProof}</Callout>;
  }
  const facts = (
    <>
      {words.tried} <RelativeTime at={probe.at} />, {words.took(probe.ms)}
      {probe.problem !== null && `: ${probe.problem}`}
    </>
  );
  return probe.reached ? (
    <Callout tone="error" title={words.proofFailed} urgent>
      {words.proofFailedText} {facts}
    </Callout>
  ) : (
    <Callout tone="neutral" title={words.proof}>
      {facts}
    </Callout>
  );
}
