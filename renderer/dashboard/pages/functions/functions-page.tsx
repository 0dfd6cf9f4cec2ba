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
import { InstallingNow } from './installation/install-progress.tsx';
import { NextRun } from './status/next-run.tsx';
import { PauseAll, Paused } from './status/pause-banner.tsx';
import { FunctionBadge } from './status/badge.tsx';
import { type FunctionGroup as StateGroup, groupFunctions, isOn } from './status/state.ts';
import { bundleOf, nameOf, readsText } from './function-text.ts';

const words = m.functions;

/** What computes over my data, within which limits, with what outcome? */
export function FunctionsPage() {
  const all = useQuery(functions);
  const known = all.data ?? [];
  const registered = known.filter((one) => one.registered).length;
  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={known.length > 0 ? words.summary(known.filter(isOn).length, registered) : undefined}
      actions={<InstallButton />}
    >
      <InstallingNow />
      <Paused />
      <QueryBoundary query={all} rows={6} height={40} />
      {all.data !== undefined && known.length === 0 && (
        <EmptyState
          icon={IconMathFunction}
          title={words.empty.title}
          actions={
            <ChapterLink chapter={FUNCTION_GUIDE_CHAPTER} size="sm">
              {words.empty.guide}
            </ChapterLink>
          }
        >
          {words.empty.text}
          <br />
          <br />
          {words.empty.how}
        </EmptyState>
      )}
      {[...groupFunctions(known)].map(([group, some]) => (
        <Section key={group} title={words.groups[group]}>
          {group === 'removed' && (
            <Text size="sm" c="dimmed" mb="sm">
              {words.removedText}
            </Text>
          )}
          <LinkList className={classes.list}>
            {some.map((one) => (
              <FunctionLine key={one.id} one={one} group={group} />
            ))}
          </LinkList>
        </Section>
      ))}
      {known.length > 0 && (
        <Group mt="xl" gap="lg">
          <ChapterLink chapter={FUNCTION_GUIDE_CHAPTER} size="sm">
            {words.empty.guide}
          </ChapterLink>
          {known.some(isOn) && <PauseAll />}
        </Group>
      )}
    </Page>
  );
}

function FunctionLine({ one, group }: { one: OwnerFunction; group: StateGroup }) {
  const { id, configuration, place, writes, lastRun, nextRun } = one;
  const bundle = bundleOf(one);
  return (
    <LinkListItem
      to={functionPath(id)}
      logo={configuration?.info.graphics?.logo?.normal}
      name={nameOf(one)}
      below={configuration?.info.headline}
      extra={
        place.kind === 'elsewhere' && <span className={classes.elsewhere}>{words.line.elsewhere(place.host)}</span>
      }
      middle={
        <span className={classes.reach}>
          <span>{bundle === undefined ? words.line.unknown : words.line.reads(readsText(bundle))}</span>
          <span>{words.line.writes(writes, place.kind === 'here')}</span>
        </span>
      }
      end={
        <>
          <FunctionBadge one={one} />
          <small>
            {lastRun === null ? (
              words.line.never
            ) : (
              <>
                {words.line.last} <RelativeTime at={lastRun.started} />
              </>
            )}
          </small>
          {group === 'on' && nextRun.kind !== 'never' && (
            <small>
              {words.line.next} <NextRun one={one} short />
            </small>
          )}
        </>
      }
    />
  );
}
