import { Anchor, Text } from '@mantine/core';
import { IconMathFunction } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { OwnerFunction } from '../../api/contract.ts';
import { functions } from '../../api/functions.ts';
import { Logo } from '../../components/consent/logo.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/en.ts';
import { FUNCTION_GUIDE, functionPath } from '../../navigation.ts';
import classes from './functions-page.module.css';
import { InstallButton } from './install-button.tsx';
import { InstallingNow } from './installing.tsx';
import { NextRun } from './next-run.tsx';
import { StateMark } from './state-mark.tsx';
import { type Group, grouped, isOn } from './state.ts';
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
      {all.isPending && <Loading rows={6} height={40} />}
      {all.isError && <Failed error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined && known.length === 0 && (
        <Empty
          icon={IconMathFunction}
          title={words.empty.title}
          actions={
            <Anchor component={Link} to={FUNCTION_GUIDE} size="sm">
              {words.empty.guide}
            </Anchor>
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
          <ul className={classes.list}>
            {some.map((one) => (
              <Line key={one.id} one={one} group={group} />
            ))}
          </ul>
        </Section>
      ))}
      {known.length > 0 && (
        <Text size="sm" mt="xl">
          <Anchor component={Link} to={FUNCTION_GUIDE} size="sm">
            {words.empty.guide}
          </Anchor>
        </Text>
      )}
    </Page>
  );
}

function Line({ one, group }: { one: OwnerFunction; group: Group }) {
  const { id, configuration, place, writes, lastRun, nextRun } = one;
  const name = nameOf(one);
  const bundle = bundleOf(one);
  return (
    <li>
      <Link to={functionPath(id)} className={classes.line}>
        <Logo url={configuration?.info.graphics?.logo?.normal ?? ''} name={name} />
        <span className={classes.words}>
          <span className={classes.name}>{name}</span>
          <span className={classes.headline}>{configuration?.info.headline}</span>
          {place.kind === 'elsewhere' && <span className={classes.elsewhere}>{words.line.elsewhere(place.host)}</span>}
        </span>
        <span className={classes.reach}>
          <span>{bundle === undefined ? words.line.unknown : words.line.reads(readsText(bundle))}</span>
          <span>{words.line.writes(writes, place.kind === 'here')}</span>
        </span>
        <span className={classes.state}>
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
        </span>
      </Link>
    </li>
  );
}
