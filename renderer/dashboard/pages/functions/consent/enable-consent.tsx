import { Box, Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerFunction, SharingPreview } from '../../../../shared/api/contract.ts';
import { functionInput, refreshFunctions, cacheFunction } from '../../../api/functions/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { AllowBar } from '../../../consent/allow-bar.tsx';
import { NO_CHOICES } from '../../../consent/choices.ts';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { ScopeChoice } from '../../../consent/scope-choice.tsx';
import { WithheldData } from '../../../consent/withheld-data.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { toSentenceCase } from '../../../../shared/components/display-names.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { ChangeList } from '../../requests/change-list.tsx';
import { findFunctionChanges } from './differences.ts';
import columnClasses from '../../../consent/shared-data.module.css';
import { previewOf } from './input-preview.ts';
import { triggerText } from '../trigger-text.ts';
import { isAvailable } from '../status/state.ts';
import { InputSample } from './input-sample.tsx';
import { limitsText, nameOf, describeReads, readsText } from '../function-text.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';

const texts = m.functions.enable;

interface EnableConsentProps {
  ownerFunction: OwnerFunction;
  configuration: NonNullable<OwnerFunction['configuration']>;
  requestKey: string;
  hasChanged: boolean;
}

export function EnableConsent({ ownerFunction, configuration, requestKey, hasChanged }: EnableConsentProps) {
  const { id, place, writes, limits, reads, approved } = ownerFunction;
  const name = nameOf(ownerFunction);
  const { dataBundle } = configuration;
  const names = useDataNames();
  const properties = useMemo(() => describeReads(dataBundle, reads, names), [dataBundle, reads, names]);
  const input = useQuery({ ...functionInput(id, requestKey), enabled: isAvailable(ownerFunction) });
  const preview = useMemo((): SharingPreview | undefined => {
    return input.data === undefined ? undefined : previewOf(properties, input.data);
  }, [properties, input.data]);
  const dataText = readsText(dataBundle, names);
  const { description } = configuration.info;
  return (
    <>
      {approved !== null && (
        <Box mb="xl">
          <Section title={texts.changes} text={texts.changesText(approved.version)}>
            <ChangeList differences={findFunctionChanges(ownerFunction, names)} emptyText={texts.changesNone} />
          </Section>
        </Box>
      )}
      {place.kind === 'elsewhere' ? (
        <Callout tone="attention" title={toSentenceCase(texts.leaves(dataText, place.host))}>
          {texts.leavesText}
        </Callout>
      ) : (
        <Callout tone="neutral" title={texts.staysLocal}>
          {texts.staysLocalText}
        </Callout>
      )}
      <FactList
        facts={[
          description.text !== '' && { term: m.requests.page.purpose, value: description.text },
          { term: m.requests.page.when, value: triggerText(configuration.trigger) },
          { term: m.requests.page.atMost, value: toSentenceCase(texts.atMostText(dataText)), emphasised: true },
          { term: texts.stores, value: `${writes}, ${m.functions.facts.writesOnly}` },
          { term: m.functions.facts.limits, value: limitsText(limits) },
          { term: texts.until, value: texts.untilText },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {m.functions.about.developerText}
      </Text>
      <Box className={columnClasses.columns ?? ''} mb="3rem">
        <Box component="section" miw={0} aria-labelledby="would-read">
          <Group mih="2rem" mb="0.75rem">
            <Title order={2} id="would-read">
              {m.functions.scope.titleRequested}
            </Title>
          </Group>
          <ScopeChoice properties={properties} preview={preview} choices={NO_CHOICES} />
        </Box>
        <InputSample ownerFunction={ownerFunction} input={input} preview={preview} properties={properties} />
      </Box>
      <WithheldData
        properties={properties}
        requestedPreview={preview}
        selectedPreview={undefined}
        choices={NO_CHOICES}
      />
      <DecisionBar ownerFunction={ownerFunction} name={name} dataText={dataText} hasChanged={hasChanged} />
    </>
  );
}

interface DecisionBarProps {
  ownerFunction: OwnerFunction;
  name: string;
  dataText: string;
  hasChanged: boolean;
}

function DecisionBar({ ownerFunction, name, dataText, hasChanged }: DecisionBarProps) {
  const { id, version, configuration, place, approved, asksForMore, writes } = ownerFunction;
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();
  const enable = async () => {
    const updatedFunction = await call('POST /api/v2.6/owner/functions/:id/enable', {
      params: { id },
      body: {
        version,
        writes,
        ...(configuration === null ? {} : { dataBundle: configuration.dataBundle, trigger: configuration.trigger }),
      },
    });
    cacheFunction(updatedFunction);
    await navigate(functionPath(id), { replace: true });
    showToast(texts.done(name), texts.doneText);
    await refreshFunctions();
  };
  const additionCount = findFunctionChanges(ownerFunction).filter(({ kind }) => kind !== 'less').length;
  const allowLabel =
    approved !== null && asksForMore && additionCount > 0
      ? texts.allowMore(additionCount)
      : place.kind === 'here'
        ? texts.allow(dataText)
        : texts.allowRemote(dataText, place.host);
  return (
    <>
      <SubmitError problem={problem} />
      <AllowBar
        allowLabel={allowLabel}
        blockedReason={isAvailable(ownerFunction) ? undefined : texts.unavailable}
        changeNotice={hasChanged ? texts.reviewFirst : undefined}
        busy={busy}
        // On a conflict (409), nothing was allowed, and the function's new request is shown.
        onAllow={() => void run(enable, refreshFunctions)}
      >
        <Button component={Link} to={functionPath(id, 'dry-run')} variant="default">
          {texts.dryRun}
        </Button>
        <Button variant="default" onClick={() => void navigate(functionPath(id))}>
          {m.shell.notNow}
        </Button>
      </AllowBar>
    </>
  );
}
