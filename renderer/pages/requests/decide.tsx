import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { Narrowing, OwnerDebit, Permission } from '../../api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/debits.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { AllowBar } from '../../components/consent/allow-bar.tsx';
import { type Extent, extentText } from '../../components/consent/plain-words.ts';
import { type Timing, startText, untilShort } from '../../components/consent/time-words.ts';
import type { Limit } from '../../components/consent/until.ts';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import { sharingPath } from '../../navigation.ts';

const words = m.requests.decide;

interface DecideProps {
  item: OwnerDebit;
  name: string;
  permission: Permission;
  extent: Extent;
  narrowing: Narrowing | undefined;
  limit: Limit;
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
  const { busy, problem, act } = useAct();
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
    tell(
      Date.parse(timing.start) > now.getTime() ? words.allowedLater(name, startText(timing, now)) : words.allowed(name),
      words.allowedText(extentText(extent), untilShort(timing, now)),
    );
    await refreshDebits();
  };
  const refuse = async () => {
    await call('POST /api/v2.6/data-debit/*key/reject', { params: { key } });
    await navigate('/requests', { replace: true });
    tell(words.refused(name), isChange ? words.refusedChangeText : words.refusedText);
    await refreshDebits();
  };

  return (
    <>
      <NotDone problem={problem} />
      <AllowBar
        allow={words.allow(whatText(extent), untilShort(timing, now))}
        closed={closed}
        lookFirst={changed ? words.look : undefined}
        busy={busy}
        // A newer request took its place: that one is shown, and nothing was allowed.
        onAllow={() => void act(allow, refreshDebits)}
      >
        <Button variant="default" onClick={() => void navigate('/requests')}>
          {words.notNow}
        </Button>
        <Button variant="default" c="var(--stop)" onClick={never.open}>
          {words.never}
        </Button>
      </AllowBar>
      <Confirm
        opened={asking}
        close={never.close}
        title={words.neverTitle(name)}
        keep={words.keep}
        submit={isChange ? words.neverChangeSubmit : words.neverSubmit}
        onConfirm={refuse}
      >
        {isChange ? words.neverChangeText(name) : words.neverText(name)}
      </Confirm>
    </>
  );
}
