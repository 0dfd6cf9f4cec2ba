import { useQuery } from '@tanstack/react-query';
import { exposure as exposureQuery } from '../../api/account/exposure.ts';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { Certificate } from './certificate.tsx';
import { ProbeResult } from './probe-result.tsx';
import { ExposureStatus } from './status-panel.tsx';
import { AccessMode } from './access-mode.tsx';
import { OpenServices } from './open-services.tsx';

const texts = m.exposure;

export function ExposurePage() {
  const query = useQuery(exposureQuery);
  const exposure = query.data;
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      <QueryBoundary query={query} rows={6} height={28} />
      {exposure !== undefined && (
        <>
          <ExposureStatus exposure={exposure} />
          <OpenServices exposure={exposure} />
          {exposure.way !== 'none' && <ProbeResult exposure={exposure} />}
          {exposure.certificate !== null && <Certificate certificate={exposure.certificate} />}
          <AccessMode exposure={exposure} />
        </>
      )}
    </Page>
  );
}
