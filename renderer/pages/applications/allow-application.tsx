import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { application as applicationQuery, refreshApplications } from '../../api/access-queries.ts';
import { call } from '../../api/client.ts';
import type { Narrowing, OwnerApplication } from '../../api/contract.ts';
import { asProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/queries.ts';
import { AllowBar } from '../../components/consent/allow-bar.tsx';
import { tell } from '../../components/notices.tsx';
import { Failed } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';
import { applicationPath } from '../../navigation.ts';

const words = m.applications.setup;
/** Milliseconds. A click that was meant for what was here before must not allow what has come in its place. */
const LOOK_FIRST = 1500;

interface AllowApplicationProps {
  application: OwnerApplication;
  /** What the button says that it does. */
  allow: string;
  narrowing?: Narrowing | undefined;
  /** Why it cannot be allowed as it is chosen now. */
  closed?: string | undefined;
  /** Another version took the place of the one that was looked at. */
  changed: boolean;
  /** Said when it is done. */
  done: string;
  notNow: string;
}

/** The decision: names the version that was seen, so that nothing is allowed that was not. */
export function AllowApplication(props: AllowApplicationProps) {
  const { application, allow, narrowing, closed, changed, done, notNow } = props;
  const { id, info } = application.item.application;
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [tooSoon, setTooSoon] = useState(changed);
  useEffect(() => {
    if (!tooSoon) return;
    const timer = setTimeout(() => setTooSoon(false), LOOK_FIRST);
    return () => clearTimeout(timer);
  }, [tooSoon]);

  const setUp = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const now = await call('POST /api/v2.6/owner/applications/:id/setup', {
        params: { id },
        body: {
          version: info.version,
          edition: application.edition,
          ...(narrowing === undefined ? {} : { narrowing }),
        },
      });
      queryClient.setQueryData(applicationQuery(id).queryKey, now);
      await navigate(applicationPath(id), { replace: true });
      tell(done, words.doneText);
      await refreshApplications();
    } catch (error) {
      // A newer version was published: that one is shown then, and nothing was allowed.
      if (asProblem(error).status === 409) await refreshApplications();
      setProblem(error);
      setBusy(false);
    }
  };

  return (
    <>
      {problem !== undefined && <Failed error={problem} title={m.shell.problem.notDone} />}
      <AllowBar
        allow={allow}
        closed={tooSoon ? m.requests.decide.look : closed}
        busy={busy}
        onAllow={() => void setUp()}
      >
        <Button variant="default" onClick={() => void navigate(applicationPath(id))}>
          {notNow}
        </Button>
      </AllowBar>
    </>
  );
}
