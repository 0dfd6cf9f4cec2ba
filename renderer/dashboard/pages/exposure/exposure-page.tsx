import { useQuery } from '@tanstack/react-query';
import { exposure } from '../../api/account/exposure.ts';
import { Page } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { Certificate } from './certificate.tsx';
import { LastTry } from './probe-result.tsx';
import { ExposureStatus } from './status-panel.tsx';
import { AccessMode } from './access-mode.tsx';
import { WhatIsOpen } from './open-services.tsx';

const words = m.exposure;

/** What can be reached from outside right now, and how does one end that? */
export function ExposurePage() {
  const all = useQuery(exposure);
  const now = all.data;
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {all.isPending && <LoadingSkeleton rows={6} height={28} />}
      {all.isError && <LoadError error={all.error} retry={() => void all.refetch()} />}
      {now !== undefined && (
        <>
          <ExposureStatus now={now} />
          <WhatIsOpen now={now} />
          {now.way !== 'none' && <LastTry now={now} />}
          {now.certificate !== null && <Certificate certificate={now.certificate} />}
          <AccessMode now={now} />
        </>
      )}
    </Page>
  );
}
