import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Narrowing } from '../../../../server/wire/debits.ts';
import type { LoginRequest } from '../../../../server/wire/applications.ts';
import { call } from '../../../shared/api/client.ts';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { type Asked, withProblem } from './login-parameters.ts';
import { ConsentStep } from './consent-step.tsx';
import { LoginFrame } from './login-frame.tsx';
import classes from './login.module.css';
import { loginRequest } from './queries.ts';
import { Refused } from './refusal.tsx';
import { Returning } from './redirect-notice.tsx';

const words = m.login;

/** What the owner agreed to: the version whose page they saw, to the letter. */
export interface Agreement {
  version: string;
  edition: string;
  narrowing?: Narrowing | undefined;
}

interface JourneyProps {
  asked: Asked;
  pda: string;
}

/** Once the owner is signed in. */
export function Journey({ asked, pda }: JourneyProps) {
  const request = useQuery(loginRequest(asked));

  if (request.isPending) {
    return (
      <main className={classes.frame}>
        <div className={classes.column}>
          <LoadingSkeleton rows={3} />
        </div>
      </main>
    );
  }
  if (request.isError) {
    return (
      <LoginFrame title={words.failed.titleHere} windowTitle={words.windowTitle('')} pda={pda}>
        <LoadError error={request.error} retry={() => void request.refetch()} />
      </LoginFrame>
    );
  }
  const { data } = request;
  if (data.state !== 'refused' && data.application !== null) {
    return <Open request={data} pda={pda} lookAgain={() => void request.refetch()} />;
  }
  // The application receives the error of its link at its fallback URL: the owner cannot fix it.
  if (data.failureUrl !== null) {
    const name = data.application?.item.application.info.name ?? '';
    return <Returning name={name} pda={pda} redirect="" url={data.failureUrl} cancelled />;
  }
  return <Refused request={data} name={asked.name} pda={pda} />;
}

interface OpenProps {
  request: LoginRequest;
  pda: string;
  lookAgain: () => void;
}

/** A journey that can be brought to its end: after consent, or at once. */
function Open({ request, pda, lookAgain }: OpenProps) {
  const { application } = request;
  const { id, info } = application?.item.application ?? { id: '', info: { name: '' } };
  const [leaving, setLeaving] = useState<{ url: string; cancelled: boolean }>();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  /** How often what was looked at turned out to be another by then. */
  const [changes, setChanges] = useState(0);
  const started = useRef(false);

  const goOn = async (agreement?: Agreement) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { url } = await call('POST /api/v2.6/owner/login', {
        body: { name: id, redirect: request.redirect, ...agreement },
      });
      setLeaving({ url, cancelled: false });
    } catch (error) {
      const found = toProblem(error);
      setProblem(found);
      setBusy(false);
      // The request changed since it was shown: show it again; nothing was allowed.
      if (found.code === 'wrong_state') {
        setChanges((before) => before + 1);
        lookAgain();
      }
    }
  };

  /** `failed`: not the owner but the PDA is why it did not work out. */
  const cancel = (failed?: string) => {
    if (request.failureUrl === null) return;
    const url = failed === undefined ? request.failureUrl : withProblem(request.failureUrl, 'pda_exception', failed);
    setLeaving({ url, cancelled: true });
  };

  const start = useRef(goOn);
  useEffect(() => {
    if (request.state !== 'ready' || started.current) return;
    started.current = true;
    void start.current();
  }, [request.state]);

  if (application === null) return null;
  if (leaving !== undefined) return <Returning name={info.name} pda={pda} redirect={request.redirect} {...leaving} />;
  if (request.state === 'ready' && problem === undefined) {
    return <Returning name={info.name} pda={pda} redirect={request.redirect} cancelled={false} />;
  }
  if (request.state === 'ready') {
    return (
      <LoginFrame title={words.failed.title(info.name)} windowTitle={words.windowTitle(info.name)} pda={pda}>
        <LoadError error={problem} title={words.consent.notDone} retry={() => void goOn()} />
        {request.failureUrl !== null && (
          <Button variant="subtle" mt="lg" onClick={() => cancel('internal_server_error')}>
            {words.failed.back(info.name)}
          </Button>
        )}
      </LoginFrame>
    );
  }
  return (
    // Shown again after a change, with all switches as requested.
    <ConsentStep
      key={changes}
      changed={changes > 0}
      application={application}
      redirect={request.redirect}
      pda={pda}
      busy={busy}
      problem={problem}
      allow={(agreement) => void goOn(agreement)}
      cancel={() => {
        if (problem === undefined || problem.code === 'wrong_state') cancel();
        else cancel('enabling_application_failed');
      }}
    />
  );
}
