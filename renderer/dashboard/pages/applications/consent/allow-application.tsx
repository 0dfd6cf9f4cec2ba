import { Button } from '@mantine/core';
import { useNavigate } from 'react-router';
import { application as applicationQuery, refreshApplications } from '../../../api/sharing/access.ts';
import { call } from '../../../../shared/api/client.ts';
import type { Narrowing, OwnerApplication } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { AllowBar } from '../../../consent/allow-bar.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPath } from '../../../navigation.ts';

const texts = m.applications.setup;

interface AllowApplicationProps {
  application: OwnerApplication;
  allowLabel: string;
  narrowing?: Narrowing | undefined;
  blockedReason?: string | undefined;
  hasChanged: boolean;
  doneTitle: string;
  cancelLabel: string;
}

/** Lets the owner allow the reviewed version. The request names it, so that no other version is allowed. */
export function AllowApplication(props: AllowApplicationProps) {
  const { application, allowLabel, narrowing, blockedReason, hasChanged, doneTitle, cancelLabel } = props;
  const { id, info } = application.item.application;
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();

  const setUp = async () => {
    const updatedApplication = await call('POST /api/v2.6/owner/applications/:id/setup', {
      params: { id },
      body: {
        version: info.version,
        edition: application.edition,
        ...(narrowing === undefined ? {} : { narrowing }),
      },
    });
    queryClient.setQueryData(applicationQuery(id).queryKey, updatedApplication);
    await navigate(applicationPath(id), { replace: true });
    showToast(doneTitle, texts.doneText);
    await refreshApplications();
  };

  return (
    <>
      <SubmitError problem={problem} />
      <AllowBar
        allowLabel={allowLabel}
        blockedReason={blockedReason}
        changeNotice={hasChanged ? m.requests.decide.reviewFirst : undefined}
        busy={busy}
        // On a conflict (409), the application is refetched, and the page shows what it requests now.
        onAllow={() => void run(setUp, refreshApplications)}
      >
        <Button variant="default" onClick={() => void navigate(applicationPath(id))}>
          {cancelLabel}
        </Button>
      </AllowBar>
    </>
  );
}
