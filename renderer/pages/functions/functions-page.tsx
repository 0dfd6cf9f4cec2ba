import { Group, Text } from '@mantine/core';
import { IconMathFunction } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { OwnerFunction } from '../../api/contract.ts';
import { functions } from '../../api/functions.ts';
import { Awaited } from '../../components/awaited.tsx';
import { ChapterLink } from '../../components/help-link.tsx';
import { Line, Lines } from '../../components/lines.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { WRITE_A_FUNCTION } from '../../help.ts';
import { m } from '../../messages/texts.ts';
import { functionPath } from '../../navigation.ts';
import classes from './functions-page.module.css';
import { InstallButton } from './install-button.tsx';
import { InstallingNow } from './installing.tsx';
import { NextRun } from './next-run.tsx';
import { PauseAll, Paused } from './paused.tsx';
import { StateMark } from './state-mark.tsx';
import { type Group as StateGroup, grouped, isOn } from './state.ts';
import { bundleOf, nameOf, readsText } from './words.ts';

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
      <Awaited found={all} rows={6} height={40} />
      {all.data !== undefined && known.length === 0 && (
        <Empty
          icon={IconMathFunction}
          title={words.empty.title}
          actions={
            <ChapterLink chapter={WRITE_A_FUNCTION} size="sm">
              {words.empty.guide}
            </ChapterLink>
          }
        >
          {words.empty.text}
          <br />
          <br />
          {words.empty.how}
        </Empty>
      )}
      {[...grouped(known)].map(([group, some]) => (
        <Section key={group} title={words.groups[group]}>
          {group === 'removed' && (
            <Text size="sm" c="dimmed" mb="sm">
              {words.removedText}
            </Text>
          )}
          <Lines className={classes.list}>
            {some.map((one) => (
              <FunctionLine key={one.id} one={one} group={group} />
            ))}
          </Lines>
        </Section>
      ))}
      {known.length > 0 && (
        <Group mt="xl" gap="lg">
          <ChapterLink chapter={WRITE_A_FUNCTION} size="sm">
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
    <Line
      to={functionPath(id)}
      logo={configuration?.info.graphics?.logo?.normal}
      name={nameOf(one)}
      below={configuration?.info.headline}
      besides={
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
          <StateMark one={one} />
          <small>
            {lastRun === null ? (
              words.line.never
            ) : (
              <>
                {words.line.last} <When at={lastRun.started} />
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
