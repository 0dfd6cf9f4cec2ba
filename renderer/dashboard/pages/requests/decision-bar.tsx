import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { Narrowing, OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { debitQuery, refreshDebits } from '../../api/sharing/debits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { AllowBar } from '../../consent/allow-bar.tsx';
import { type Extent, extentText } from '../../../shared/consent/bundle-text.ts';
import { type Timing, startText, untilText } from '../../../shared/consent/timing-text.ts';
import type { DurationLimit } from '../../consent/duration.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { sharingPath } from '../../navigation.ts';
import { permissionToChange } from '../sharing/status-text.ts';

const texts = m.requests.decide;

interface DecisionBarProps {
  item: OwnerDebit;
  name: string;
  permission: Permission;
  extent: Extent;
  narrowing: Narrowing | undefined;
  limit: DurationLimit;
  timing: Timing;
  blockedReason: string | undefined;
  hasChanged: boolean;
  now: Date;
}

/** Returns text such as "5 fields" or "entire records of Steps, and 5 fields". */
function extentButtonText({ fields, entireEndpoints }: Extent): string {
  if (entireEndpoints.length === 0) return texts.fields(fields);
  const entire = extentText({ fields: 0, fieldEndpoints: [], entireEndpoints });
  return fields === 0 ? entire : m.consent.entireAndFields(entire, texts.fields(fields));
}

export function DecisionBar(props: DecisionBarProps) {
  const { item, name, permission, extent, narrowing, limit, timing, blockedReason, hasChanged, now } = props;
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();
  const [isDeclineOpen, declineDialog] = useDisclosure(false);
  const key = item.debit.dataDebitKey;
  const isChange = permissionToChange(item) !== undefined;

  const allow = async () => {
    const grantedDebit = await call('POST /api/v2.6/owner/debits/*key/grant', {
      params: { key },
      body: {
        permissionId: permission.permissionId,
        ...(narrowing === undefined ? {} : { narrowing }),
        ...limit,
      },
    });
    queryClient.setQueryData(debitQuery(key).queryKey, grantedDebit);
    await navigate(sharingPath(key), { replace: true });
    showToast(
      Date.parse(timing.start) > now.getTime() ? texts.allowedLater(name, startText(timing, now)) : texts.allowed(name),
      texts.allowedText(extentText(extent), untilText(timing, now)),
    );
    await refreshDebits();
  };
  const decline = async () => {
    await call('POST /api/v2.6/data-debit/*key/reject', { params: { key } });
    await navigate('/requests', { replace: true });
    showToast(texts.declined(name), isChange ? texts.declinedChangeText : texts.declinedText);
    await refreshDebits();
  };

  return (
    <>
      <SubmitError problem={problem} />
      <AllowBar
        allowLabel={texts.allow(extentButtonText(extent), untilText(timing, now))}
        blockedReason={blockedReason}
        changeNotice={hasChanged ? texts.reviewFirst : undefined}
        busy={busy}
        // After a conflict, nothing is allowed and the page shows the newer request.
        onAllow={() => void run(allow, refreshDebits)}
      >
        <Button variant="default" onClick={() => void navigate('/requests')}>
          {m.shell.notNow}
        </Button>
        <Button variant="default" c="var(--stop)" onClick={declineDialog.open}>
          {texts.decline}
        </Button>
      </AllowBar>
      <ConfirmDialog
        opened={isDeclineOpen}
        close={declineDialog.close}
        title={texts.declineTitle(name)}
        cancelLabel={texts.keep}
        confirmLabel={isChange ? texts.declineChangeSubmit : texts.declineSubmit}
        onConfirm={decline}
      >
        {(isChange ? texts.declineChangeText : texts.declineText)(name, item.callbackHost !== null)}
      </ConfirmDialog>
    </>
  );
}
