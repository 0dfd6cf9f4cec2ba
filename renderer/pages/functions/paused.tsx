import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { functionsPaused, setFunctionsPaused } from '../../api/functions.ts';
import { Callout } from '../../components/callout.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';

const words = m.functions.paused;

/** That all functions are paused, where they are, and the way out of it. */
export function Paused() {
  const since = useQuery(functionsPaused).data?.since ?? null;
  // Mounted anew for each pause: what was clicked stays busy until it is gone.
  return since === null ? null : <Notice key={since} since={since} />;
}

function Notice({ since }: { since: string }) {
  const { busy, problem, act } = useAct();
  const resume = async () => {
    await setFunctionsPaused(false);
    tell(words.resumed);
  };
  return (
    <>
      <Callout
        tone="decision"
        title={words.title}
        action={
          <Button variant="default" size="xs" loading={busy} onClick={() => void act(resume)}>
            {words.resume}
          </Button>
        }
      >
        {words.since} <When at={since} />. {words.text}
      </Callout>
      <NotDone problem={problem} />
    </>
  );
}

/** Pauses all of them; nothing where they are paused. */
export function PauseAll() {
  const since = useQuery(functionsPaused).data?.since;
  return since === null ? <PauseNow /> : null;
}

function PauseNow() {
  const { busy, problem, act } = useAct();
  const pause = async () => {
    await setFunctionsPaused(true);
    tell(words.done, words.doneText);
  };
  return (
    <>
      <Anchor component="button" type="button" size="sm" disabled={busy} onClick={() => void act(pause)}>
        {words.pause}
      </Anchor>
      <NotDone problem={problem} />
    </>
  );
}
