import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Narrowing } from '../../../../server/wire/debits.ts';
import type { LoginRequest } from '../../../../server/wire/applications.ts';
import { call } from '../../../shared/api/client.ts';
import type { Permission } from '../../../shared/api/contract.ts';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { type LoginParameters, withError } from './login-parameters.ts';
import { ConsentStep } from './consent-step.tsx';
import { LoginFrame } from './login-frame.tsx';
import classes from './login.module.css';
import { loginRequest } from './queries.ts';
import { Refusal } from './refusal.tsx';
import { RedirectNotice } from './redirect-notice.tsx';

const texts = m.login;

/** The owner's consent to exactly the displayed version and edition. */
export interface Agreement {
  version: string;
  edition: string;
  narrowing?: Narrowing | undefined;
}

interface LoginFlowProps {
  parameters: LoginParameters;
  pdaName: string;
}

export function LoginFlow({ parameters, pdaName }: LoginFlowProps) {
  const query = useQuery(loginRequest(parameters));

  if (query.isPending) {
    return (
      <main className={classes.frame}>
        <div className={classes.column}>
          <LoadingSkeleton rows={3} />
        </div>
      </main>
    );
  }
  if (query.isError) {
    return (
      <LoginFrame title={texts.failed.titleHere} windowTitle={texts.windowTitle('')} pdaName={pdaName}>
        <LoadError error={query.error} retry={() => void query.refetch()} />
      </LoginFrame>
    );
  }
  const { request, approvedPermission } = query.data;
  if (request.state !== 'refused' && request.application !== null) {
    return (
      <ActiveLogin
        request={request}
        approvedPermission={approvedPermission}
        pdaName={pdaName}
        refetch={() => void query.refetch()}
      />
    );
  }
  // Reports the error to the application's failure URL, because the owner cannot fix the application's link.
  if (request.failureUrl !== null) {
    const name = request.application?.item.application.info.name ?? '';
    return <RedirectNotice name={name} pdaName={pdaName} redirect="" url={request.failureUrl} failed />;
  }
  return <Refusal request={request} requestedName={parameters.name} pdaName={pdaName} />;
}

interface ActiveLoginProps {
  request: LoginRequest;
  approvedPermission: Permission | undefined;
  pdaName: string;
  refetch: () => void;
}

function ActiveLogin({ request, approvedPermission, pdaName, refetch }: ActiveLoginProps) {
  const { application } = request;
  const { id, info } = application?.item.application ?? { id: '', info: { name: '' } };
  const [destination, setDestination] = useState<{ url: string; failed: boolean }>();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const [changeCount, setChangeCount] = useState(0);
  const hasStarted = useRef(false);

  const completeLogin = async (agreement?: Agreement) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { url } = await call('POST /api/v2.6/owner/login', {
        body: { name: id, redirect: request.redirect, ...agreement },
      });
      setDestination({ url, failed: false });
    } catch (error) {
      const loginProblem = toProblem(error);
      setProblem(loginProblem);
      setBusy(false);
      // The request changed while it was shown, so nothing was allowed. Shows the new request.
      if (loginProblem.code === 'wrong_state') {
        setChangeCount((count) => count + 1);
        refetch();
      }
    }
  };

  /** Returns to the application's failure URL. @param errorCode error of the PDA; undefined if the owner cancelled */
  const cancel = (errorCode?: string) => {
    if (request.failureUrl === null) return;
    const url =
      errorCode === undefined ? request.failureUrl : withError(request.failureUrl, 'pda_exception', errorCode);
    setDestination({ url, failed: true });
  };

  const completeRef = useRef(completeLogin);
  useEffect(() => {
    if (request.state !== 'ready' || hasStarted.current) return;
    hasStarted.current = true;
    void completeRef.current();
  }, [request.state]);

  if (application === null) return null;
  if (destination !== undefined)
    return <RedirectNotice name={info.name} pdaName={pdaName} redirect={request.redirect} {...destination} />;
  if (request.state === 'ready' && problem === undefined) {
    return <RedirectNotice name={info.name} pdaName={pdaName} redirect={request.redirect} failed={false} />;
  }
  if (request.state === 'ready') {
    return (
      <LoginFrame title={texts.failed.title(info.name)} windowTitle={texts.windowTitle(info.name)} pdaName={pdaName}>
        <LoadError error={problem} title={m.shell.problem.notDone} retry={() => void completeLogin()} />
        {request.failureUrl !== null && (
          <Button variant="subtle" mt="lg" onClick={() => cancel('internal_server_error')}>
            {texts.failed.back(info.name)}
          </Button>
        )}
      </LoginFrame>
    );
  }
  return (
    // The key resets the choices for a changed request, and delays the button again once the new request is shown.
    <ConsentStep
      key={`${changeCount} ${application.edition}`}
      hasChanged={changeCount > 0}
      application={application}
      approvedPermission={approvedPermission}
      redirect={request.redirect}
      pdaName={pdaName}
      busy={busy}
      problem={problem}
      allow={(agreement) => void completeLogin(agreement)}
      cancel={() => {
        if (problem === undefined || problem.code === 'wrong_state') cancel();
        else cancel('enabling_application_failed');
      }}
    />
  );
}
