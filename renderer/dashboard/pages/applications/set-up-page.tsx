import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { application as applicationQuery } from '../../api/sharing/access.ts';
import { debit } from '../../api/sharing/debits.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { Page } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { MissingApplication, applicationCrumbs } from './application-page.tsx';
import { Consent } from './consent/consent-form.tsx';
import { isSame, differences } from './consent/differences.ts';
import { Update } from './consent/update-review.tsx';

const words = m.applications.setup;

/** All that an application asks for, and the decision. An update shows what is different. */
export function SetUpPage() {
  const { id = '' } = useParams();
  const found = useQuery(applicationQuery(id));
  const [seen, setSeen] = useState<{ edition: string; version: string }>();
  const debitKey = found.data?.approved == null ? null : found.data.debitKey;
  const agreed = useQuery({ ...debit(debitKey ?? ''), enabled: debitKey !== null });
  if (found.data === undefined || (debitKey !== null && agreed.isPending)) {
    return <MissingApplication error={found.error} retry={() => void found.refetch()} />;
  }

  const application = found.data;
  const running = agreed.data?.debit.permissionsActive;
  // A Data Debit that does not run would begin again: then all of it is new.
  const before = running === undefined ? null : (running.asked ?? running.bundle);
  const { info } = application.item.application;
  const isUpdate = application.approved !== null;
  const changes = differences(application, before);
  const current = application.approved?.version === info.version && changes !== undefined && isSame(changes);
  // Nothing to decide: set up here or in another window, and the same is asked as is allowed.
  if (current && application.item.needsUpdating !== true) return <Navigate to={applicationPath(id)} replace />;
  const { edition } = application;
  if (seen === undefined) setSeen({ edition, version: info.version });
  // A maker can change what is asked without a new version number.
  const changed = seen !== undefined && seen.edition !== edition;
  const title = isUpdate
    ? words.titleUpdate(info.name, info.version)
    : application.item.setup
      ? words.titleAgain(info.name)
      : words.title(info.name);
  return (
    <Page
      title={title}
      windowTitle={title}
      crumbs={[...applicationCrumbs, { label: info.name, to: applicationPath(id) }]}
      picture={<Logo url={info.graphics.logo.normal} name={info.name} size={56} />}
      lead={isUpdate ? words.leadUpdate(application.approved?.version ?? '') : words.lead}
    >
      {changed && (
        <Callout tone="attention" title={words.conflict} urgent>
          {seen.version === info.version ? words.conflictText : words.conflictVersions(seen.version, info.version)}
        </Callout>
      )}
      {/* Another edition is another question: every switch is as it asks. */}
      {isUpdate && changes !== undefined ? (
        <Update
          key={edition}
          application={application}
          changes={changes}
          asked={before}
          given={running?.bundle ?? null}
          changed={changed}
        />
      ) : (
        <Consent key={edition} application={application} changed={changed} />
      )}
    </Page>
  );
}
