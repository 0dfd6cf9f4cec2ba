import { Group, Text } from '@mantine/core';
import { IconMathFunction } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { functions } from '../../api/functions/queries.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { ChapterLink } from '../../../shared/help/help-link.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { FUNCTION_GUIDE_CHAPTER } from '../../../shared/help/chapters.ts';
import { m } from '../../../shared/messages/texts.ts';
import { functionPath } from '../../navigation.ts';
import classes from './functions-page.module.css';
import { InstallButton } from './installation/install-button.tsx';
import { InstallProgress } from './installation/install-progress.tsx';
import { NextRun } from './status/next-run.tsx';
import { PauseAllLink, PauseBanner } from './status/pause-banner.tsx';
import { FunctionBadge } from './status/badge.tsx';
import { type FunctionGroup, groupFunctions, isOn } from './status/state.ts';
import { bundleOf, nameOf, readsText } from './function-text.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.functions;

export function FunctionsPage() {
  const query = useQuery(functions);
  const list = query.data ?? [];
  const registeredCount = list.filter(({ registered }) => registered).length;
  return (
    <Page
      title={texts.pageTitle}
      lead={list.length > 0 ? texts.summary(list.filter(isOn).length, registeredCount) : undefined}
      actions={<InstallButton />}
    >
      <InstallProgress />
      <PauseBanner />
      <QueryBoundary query={query} rows={6} height={40} />
      {query.data !== undefined && list.length === 0 && (
        <EmptyState
          icon={IconMathFunction}
          title={texts.empty.title}
          actions={<ChapterLink chapter={FUNCTION_GUIDE_CHAPTER}>{texts.empty.guide}</ChapterLink>}
        >
          {texts.empty.text}
          <br />
          <br />
          {texts.empty.how}
        </EmptyState>
      )}
      {[...groupFunctions(list)].map(([group, members]) => (
        <Section key={group} title={texts.groups[group]}>
          {group === 'removed' && (
            <Text c="dimmed" mb="sm">
              {texts.removedText}
            </Text>
          )}
          <LinkList className={classes.list}>
            {members.map((ownerFunction) => (
              <FunctionRow key={ownerFunction.id} ownerFunction={ownerFunction} group={group} />
            ))}
          </LinkList>
        </Section>
      ))}
      {list.length > 0 && (
        <Group mt="xl" gap="lg">
          <ChapterLink chapter={FUNCTION_GUIDE_CHAPTER}>{texts.empty.guide}</ChapterLink>
          {list.some(isOn) && <PauseAllLink />}
        </Group>
      )}
    </Page>
  );
}

function FunctionRow({ ownerFunction, group }: { ownerFunction: OwnerFunction; group: FunctionGroup }) {
  const { id, configuration, place, writes, lastRun, nextRun } = ownerFunction;
  const bundle = bundleOf(ownerFunction);
  const names = useDataNames();
  return (
    <LinkListItem
      to={functionPath(id)}
      logo={configuration?.info.graphics?.logo?.normal}
      name={nameOf(ownerFunction)}
      description={configuration?.info.headline}
      extra={place.kind === 'elsewhere' && <span className={classes.remoteHost}>{texts.item.remote(place.host)}</span>}
      details={
        <span className={classes.accessLines}>
          <span>{bundle === undefined ? texts.item.unknown : texts.item.reads(readsText(bundle, names))}</span>
          <span>{texts.item.writes(writes, place.kind === 'here')}</span>
        </span>
      }
      status={
        <>
          <FunctionBadge ownerFunction={ownerFunction} />
          <small>
            {lastRun === null ? (
              texts.item.never
            ) : (
              <>
                {texts.facts.last} <RelativeTime at={lastRun.started} />
              </>
            )}
          </small>
          {group === 'on' && nextRun.kind !== 'never' && (
            <small>
              {texts.facts.next} <NextRun ownerFunction={ownerFunction} short />
            </small>
          )}
        </>
      }
    />
  );
}
