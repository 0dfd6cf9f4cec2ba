import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { Narrowing, OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/sharing/debits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { AllowBar } from '../../consent/allow-bar.tsx';
import { type Extent, extentText } from '../../../shared/consent/bundle-text.ts';
import { type Timing, startText, untilShort } from '../../../shared/consent/timing-text.ts';
import type { DurationLimit } from '../../consent/duration.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { sharingPath } from '../../navigation.ts';

const words = m.requests.decide;

interface DecideProps {
  item: OwnerDebit;
  name: string;
  permission: Permission;
  extent: Extent;
  narrowing: Narrowing | undefined;
  limit: DurationLimit;
  timing: Timing;
  closed: string | undefined;
  /** It took the place of another one while the owner looked. */
  changed: boolean;
  now: Date;
}

/** "these 5 fields", "entire records of Steps, and 5 fields" */
function whatText({ fields, entirePlaces }: Extent): string {
  if (entirePlaces.length === 0) return words.fields(fields);
  const entire = extentText({ fields: 0, fieldPlaces: [], entirePlaces });
  return fields === 0 ? entire : m.consent.both(entire, words.fields(fields));
}

export function Decide(props: DecideProps) {
  const { item, name, permission, extent, narrowing, limit, timing, closed, changed, now } = props;
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();
  const [asking, never] = useDisclosure(false);
  const key = item.debit.dataDebitKey;
  const isChange = item.debit.permissionsActive !== undefined;

  const allow = async () => {
    const granted = await call('POST /api/v2.6/owner/debits/*key/grant', {
      params: { key },
      body: {
        permissionId: permission.permissionId,
        ...(narrowing === undefined ? {} : { narrowing }),
        ...limit,
      },
    });
    queryClient.setQueryData(debitQuery(key).queryKey, granted);
    await navigate(sharingPath(key), { replace: true });
    showToast(
      Date.parse(timing.start) > now.getTime() ? words.allowedLater(name, startText(timing, now)) : words.allowed(name),
      words.allowedText(extentText(extent), untilShort(timing, now)),
    );
    await refreshDebits();
  };
  const refuse = async () => {
    await call('POST /api/v2.6/data-debit/*key/reject', { params: { key } });
    await navigate('/requests', { replace: true });
    showToast(words.refused(name), isChange ? words.refusedChangeText : words.refusedText);
    await refreshDebits();
  };

  return (
    <>
      <SubmitError problem={problem} />
      <AllowBar
        allow={words.allow(whatText(extent), untilShort(timing, now))}
        blockedReason={closed}
        changeNotice={changed ? words.look : undefined}
        busy={busy}
        // A newer request took its place: that one is shown, and nothing was allowed.
        onAllow={() => void run(allow, refreshDebits)}
      >
        <Button variant="default" onClick={() => void navigate('/requests')}>
          {words.notNow}
        </Button>
        <Button variant="default" c="var(--stop)" onClick={never.open}>
          {words.never}
        </Button>
      </AllowBar>
      <ConfirmDialog
        opened={asking}
        close={never.close}
        title={words.neverTitle(name)}
        keep={words.keep}
        submit={isChange ? words.neverChangeSubmit : words.neverSubmit}
        onConfirm={refuse}
      >
        {isChange ? words.neverChangeText(name) : words.neverText(name)}
      </ConfirmDialog>
    </>
  );
}
