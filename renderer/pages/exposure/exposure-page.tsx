import { useQuery } from '@tanstack/react-query';
import { exposure } from '../../api/exposure.ts';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import { Certificate } from './certificate.tsx';
import { LastTry } from './last-try.tsx';
import { StateBlock } from './state-block.tsx';
import { Way } from './way.tsx';
import { WhatIsOpen } from './what-is-open.tsx';

const words = m.exposure;

/** What can be reached from outside right now, and how does one end that? */
export function ExposurePage() {
  const all = useQuery(exposure);
  const now = all.data;
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {all.isPending && <Loading rows={6} height={28} />}
      {all.isError && <Failed error={all.error} retry={() => void all.refetch()} />}
      {now !== undefined && (
        <>
          <StateBlock now={now} />
          <WhatIsOpen now={now} />
          {now.way !== 'none' && <LastTry now={now} />}
          {now.certificate !== null && <Certificate certificate={now.certificate} />}
          <Way now={now} />
        </>
      )}
    </Page>
  );
}
