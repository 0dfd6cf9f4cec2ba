import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { application as applicationQuery } from '../../api/sharing/access.ts';
import { debitQuery } from '../../api/sharing/debits.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { Page } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { MissingApplication, applicationCrumbs } from './application-page.tsx';
import { ConsentForm } from './consent/consent-form.tsx';
import { findApplicationChanges, isUnchanged, withTermDifferences } from './consent/differences.ts';
import { requestedData } from './consent/previous-choices.ts';
import { UpdateReview } from './consent/update-review.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';
import { findApprovedPermission } from '../../../../server/wire/current-permission.ts';

const texts = m.applications.setup;

export function SetUpPage() {
  const { id = '' } = useParams();
  const query = useQuery(applicationQuery(id));
  const names = useDataNames();
  const [reviewedVersion, setReviewedVersion] = useState<{ edition: string; version: string }>();
  const debitKey = query.data?.approved == null ? null : query.data.debitKey;
  const debitResult = useQuery({ ...debitQuery(debitKey ?? ''), enabled: debitKey !== null });
  if (query.data === undefined) return <MissingApplication error={query.error} retry={() => void query.refetch()} />;
  // Without the Data Debit, it is unknown what the owner excluded.
  const { error: debitError } = debitResult;
  if (debitKey !== null && debitResult.data === undefined && (debitError === null || !isNotFound(debitError)))
    return <MissingApplication error={debitError} retry={() => void debitResult.refetch()} />;

  const application = query.data;
  const approvedPermission = findApprovedPermission(debitResult.data?.debit.permissions ?? []);
  const { info } = application.item.application;
  const isUpdate = application.approved !== null;
  const changes = findApplicationChanges(application, requestedData(approvedPermission), names);
  const isUpToDate = application.approved?.version === info.version && changes !== undefined && isUnchanged(changes);
  // There is nothing to decide if the application is set up, maybe in another window, and its request is unchanged.
  if (isUpToDate && application.item.needsUpdating !== true) return <Navigate to={applicationPath(id)} replace />;
  const { edition } = application;
  if (reviewedVersion === undefined) setReviewedVersion({ edition, version: info.version });
  // A developer can change the request without a new version number.
  const hasChanged = reviewedVersion !== undefined && reviewedVersion.edition !== edition;
  const title = isUpdate
    ? texts.titleUpdate(info.name, info.version)
    : application.item.setup
      ? texts.titleAgain(info.name)
      : m.applications.setup.action(info.name);
  return (
    <Page
      title={title}
      crumbs={[...applicationCrumbs, { label: info.name, to: applicationPath(id) }]}
      picture={<Logo url={info.graphics.logo.normal} name={info.name} size={56} />}
      lead={isUpdate ? texts.leadUpdate(application.approved?.version ?? '') : texts.lead}
    >
      {hasChanged && (
        <Callout tone="attention" title={texts.conflict} urgent>
          {reviewedVersion.version === info.version
            ? texts.conflictText
            : texts.conflictVersions(reviewedVersion.version, info.version)}
        </Callout>
      )}
      {isUpdate && changes !== undefined ? (
        <UpdateReview
          key={edition}
          application={application}
          changes={withTermDifferences(changes, application, approvedPermission)}
          approvedPermission={approvedPermission}
          hasChanged={hasChanged}
        />
      ) : (
        <ConsentForm key={edition} application={application} hasChanged={hasChanged} />
      )}
    </Page>
  );
}
