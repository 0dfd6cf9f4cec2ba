import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { functionsPaused, setFunctionsPaused } from '../../../api/functions/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.functions.paused;

export function PauseBanner() {
  const since = useQuery(functionsPaused).data?.since ?? null;
  // Remounted for each pause, so that a clicked button stays busy until the pause has ended.
  return since === null ? null : <PauseNotice key={since} since={since} />;
}

function PauseNotice({ since }: { since: string }) {
  const { busy, problem, run } = useSubmit();
  const resume = async () => {
    await setFunctionsPaused(false);
    showToast(texts.resumed);
  };
  return (
    <>
      <Callout
        tone="attention"
        title={texts.title}
        action={
          <Button variant="default" size="xs" loading={busy} onClick={() => void run(resume)}>
            {texts.resume}
          </Button>
        }
      >
        {texts.since} <RelativeTime at={since} />. {texts.text}
      </Callout>
      <SubmitError problem={problem} />
    </>
  );
}

export function PauseAllLink() {
  const since = useQuery(functionsPaused).data?.since;
  return since === null ? <PauseLink /> : null;
}

function PauseLink() {
  const { busy, problem, run } = useSubmit();
  const pause = async () => {
    await setFunctionsPaused(true);
    showToast(texts.done, texts.doneText);
  };
  return (
    <>
      <Anchor component="button" type="button" disabled={busy} onClick={() => void run(pause)}>
        {texts.pause}
      </Anchor>
      <SubmitError problem={problem} />
    </>
  );
}
