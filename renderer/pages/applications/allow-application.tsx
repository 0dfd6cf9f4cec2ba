import { Button } from '@mantine/core';
import { useNavigate } from 'react-router';
import { application as applicationQuery, refreshApplications } from '../../api/access-queries.ts';
import { call } from '../../api/client.ts';
import type { Narrowing, OwnerApplication } from '../../api/contract.ts';
import { queryClient } from '../../api/queries.ts';
import { AllowBar } from '../../components/consent/allow-bar.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import { applicationPath } from '../../navigation.ts';

const words = m.applications.setup;

interface AllowApplicationProps {
  application: OwnerApplication;
  /** What the button says that it does. */
  allow: string;
  narrowing?: Narrowing | undefined;
  /** Why it cannot be allowed as it is chosen now. */
  closed?: string | undefined;
  /** The application changed after the page was opened. */
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
  const { busy, problem, act } = useAct();

  const setUp = async () => {
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
  };

  return (
    <>
      <NotDone problem={problem} />
      <AllowBar
        allow={allow}
        closed={closed}
        lookFirst={changed ? m.requests.decide.look : undefined}
        busy={busy}
        // On a conflict (409) the page loads and shows what the application asks for now.
        onAllow={() => void act(setUp, refreshApplications)}
      >
        <Button variant="default" onClick={() => void navigate(applicationPath(id))}>
          {notNow}
        </Button>
      </AllowBar>
    </>
  );
}
