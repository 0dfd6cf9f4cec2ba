import { Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { OwnerApplication, Permission } from '../../../shared/api/contract.ts';
import { sharingPreview } from '../../api/sharing/debits.ts';
import type { Problem } from '../../../shared/api/problem.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { AllowBar } from '../../consent/allow-bar.tsx';
import { type Choices, excludesEverything, narrowingOf } from '../../consent/choices.ts';
import { DataPreview } from '../../consent/data-preview.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { type PlainProperty, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { ScopeChoice } from '../../consent/scope-choice.tsx';
import { RequestId, problemText } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { findApplicationChanges, withTermDifferences } from '../applications/consent/differences.ts';
import { initialChoices, replacingNarrowing, requestedData } from '../applications/consent/previous-choices.ts';
import { DataChanges, ApplicationWithheldData, RequestedRights, RequestSummary } from './request-details.tsx';
import classes from './consent.module.css';
import type { Agreement } from './login-flow.tsx';
import { LoginFrame } from './login-frame.tsx';
import frame from './login.module.css';
import { applicationPreview } from './queries.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.login.consent;
const SAMPLE_RECORDS = 3;

interface ConsentStepProps {
  application: OwnerApplication;
  /** Undefined if the approved version has no running or scheduled permission. */
  approvedPermission: Permission | undefined;
  redirect: string;
  pdaName: string;
  busy: boolean;
  hasChanged: boolean;
  problem: Problem | undefined;
  allow: (agreement: Agreement) => void;
  cancel: () => void;
}

function headingOf({ item, approved }: OwnerApplication): { title: string; text: string } {
  const { name, version } = item.application.info;
  if (item.enabled && item.needsUpdating === true) {
    return { title: texts.titleUpdate(name), text: texts.textUpdate(approved?.version ?? '', version) };
  }
  if (item.enabled) return { title: texts.titleAgain(name), text: texts.textEnded(name) };
  if (item.setup) return { title: texts.titleAgain(name), text: texts.textAgain(name) };
  return { title: texts.title(name), text: texts.text(name) };
}

/** Shows what an application requests. Nothing is allowed until the owner confirms. */
export function ConsentStep(props: ConsentStepProps) {
  const { application, approvedPermission, redirect, pdaName, busy, hasChanged, problem, allow, cancel } = props;
  const { asksData, item } = application;
  const { info } = item.application;
  const names = useDataNames();
  const properties = useMemo(() => (asksData === null ? [] : plainBundle(asksData.bundle, names)), [asksData, names]);
  const startChoices = useMemo(() => initialChoices(properties, approvedPermission), [properties, approvedPermission]);
  const [choices, setChoices] = useState(startChoices);
  const excludesAll = excludesEverything(properties, choices);
  const rightAndDataChanges =
    item.needsUpdating === true
      ? findApplicationChanges(application, requestedData(approvedPermission), names)
      : undefined;
  const changes = rightAndDataChanges && withTermDifferences(rightAndDataChanges, application, approvedPermission);
  // An update without new data does not ask about shared data: the owner's earlier choices stay in effect. If they
  // exclude everything that the update requests, the owner must include some of it.
  const asksForData =
    changes === undefined ||
    changes.data.some(({ kind }) => kind !== 'less') ||
    excludesEverything(properties, startChoices);
  const narrowing = (approvedPermission === undefined ? narrowingOf : replacingNarrowing)(properties, choices);
  const { title, text } = headingOf(application);

  return (
    <LoginFrame
      title={title}
      windowTitle={m.login.windowTitle(info.name)}
      pdaName={pdaName}
      wide
      text={text}
      picture={<Logo url={info.graphics.logo.normal} name={info.name} size={56} />}
    >
      {problem !== undefined && <ConsentProblem problem={problem} />}
      <RequestSummary application={application} redirect={redirect} />
      <RequestedRights application={application} changes={changes} />
      <DataChanges changes={changes} />
      {properties.length > 0 && asksForData && (
        <RequestedData
          application={application}
          properties={properties}
          choices={choices}
          change={setChoices}
          sharesNothing={excludesAll}
        />
      )}
      <ApplicationWithheldData application={application} />
      <AllowBar
        allowLabel={texts.allow(info.name)}
        blockedReason={excludesAll ? texts.everythingExcluded : undefined}
        changeNotice={hasChanged ? m.requests.decide.reviewFirst : undefined}
        busy={busy}
        onAllow={() =>
          allow({
            version: info.version,
            edition: application.edition,
            ...(narrowing === undefined ? {} : { narrowing }),
          })
        }
      >
        <Button variant="default" onClick={cancel} disabled={busy} title={texts.cancelText}>
          {m.shell.cancel}
        </Button>
      </AllowBar>
    </LoginFrame>
  );
}

function ConsentProblem({ problem }: { problem: Problem }) {
  const hasChanged = problem.code === 'wrong_state';
  return (
    <Callout tone="error" title={hasChanged ? texts.changed : m.shell.problem.notDone} urgent>
      {hasChanged ? m.requests.changed.text : problemText(problem)}
      {!hasChanged && <RequestId problem={problem} />}
    </Callout>
  );
}

interface RequestedDataProps {
  application: OwnerApplication;
  properties: readonly PlainProperty[];
  choices: Choices;
  change: (choices: Choices) => void;
  sharesNothing: boolean;
}

function RequestedData({ application, properties, choices, change, sharesNothing }: RequestedDataProps) {
  const { edition, item } = application;
  const { id } = item.application;
  const source = useMemo(() => applicationPreview(id, edition), [id, edition]);
  const narrowing = useMemo(() => narrowingOf(properties, choices), [properties, choices]);
  const requested = useQuery(sharingPreview(source, undefined, 0, SAMPLE_RECORDS));
  return (
    <section className={`${frame.section} ${classes.columns}`}>
      <div>
        <Title order={2}>{m.requests.scope.title}</Title>
        <ScopeChoice properties={properties} preview={requested.data} choices={choices} onChange={change} />
      </div>
      <DataPreview source={source} properties={properties} narrowing={narrowing} sharesNothing={sharesNothing} />
    </section>
  );
}
