import { Anchor, Box, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { OwnerApplication, Permission } from '../../../../shared/api/contract.ts';
import { excludesEverything } from '../../../consent/choices.ts';
import { plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { SharedData } from '../../../consent/shared-data.tsx';
import { withParameters, useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { Section } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPreview } from '../../login/queries.ts';
import { ChangeList } from '../../requests/change-list.tsx';
import { AllowApplication } from './allow-application.tsx';
import { type ApplicationChanges, countAdditions, isUnchanged } from './differences.ts';
import { initialChoices, replacingNarrowing } from './previous-choices.ts';
import { RightsList } from './rights-list.tsx';
import { describeRights } from './rights.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';
import { UpdateNotes } from '../about.tsx';

const texts = m.applications.setup;

interface UpdateReviewProps {
  application: OwnerApplication;
  changes: ApplicationChanges;
  /** Undefined if the Data Debit neither runs nor is scheduled. */
  approvedPermission: Permission | undefined;
  hasChanged: boolean;
}

export function UpdateReview({ application, changes, approvedPermission, hasChanged }: UpdateReviewProps) {
  const { asks, asksData, edition, item } = application;
  const { id, info } = item.application;
  const [query, setQuery] = useUrlQuery();
  const showsAll = query.get('show') === 'all';
  const names = useDataNames();
  const properties = useMemo(() => (asksData === null ? [] : plainBundle(asksData.bundle, names)), [asksData, names]);
  const [choices, setChoices] = useState(() => initialChoices(properties, approvedPermission));
  const source = useMemo(() => applicationPreview(id, edition), [id, edition]);
  const additionCount = countAdditions(changes);
  return (
    <>
      {info.updateNotes != null && (
        <Box maw="44rem" mb="2rem">
          <UpdateNotes header={info.updateNotes.header} notes={info.updateNotes.notes ?? []} />
        </Box>
      )}
      {isUnchanged(changes) && <Text>{texts.same}</Text>}
      {changes.more.length > 0 && (
        <Section title={texts.more}>
          <RightsList rights={changes.more} />
        </Section>
      )}
      {changes.data.length > 0 && (
        <Section title={texts.dataChanges}>
          <ChangeList differences={changes.data} />
        </Section>
      )}
      {changes.less.length > 0 && (
        <Section title={texts.less}>
          <RightsList rights={changes.less} isRemoved />
        </Section>
      )}
      <Box mt="xl">
        <Anchor
          component="button"
          type="button"
          aria-expanded={showsAll}
          onClick={() => setQuery(withParameters({ show: showsAll ? '' : 'all' }), { replace: true })}
        >
          {showsAll ? texts.hideAll : texts.showAll}
        </Anchor>
        {showsAll && (
          <Box mt="md">
            <RightsList rights={describeRights(asks)} other={asks.other} />
          </Box>
        )}
      </Box>
      {showsAll && properties.length > 0 && (
        <SharedData properties={properties} source={source} choices={choices} change={setChoices} />
      )}
      <AllowApplication
        application={application}
        allowLabel={additionCount === 0 ? texts.allowSame(info.version) : texts.allowUpdate(additionCount)}
        narrowing={replacingNarrowing(properties, choices)}
        blockedReason={excludesEverything(properties, choices) ? texts.everythingExcluded : undefined}
        hasChanged={hasChanged}
        doneTitle={texts.updated(info.name, info.version)}
        cancelLabel={texts.keepOld}
      />
    </>
  );
}
