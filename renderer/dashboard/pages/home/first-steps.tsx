import { Loader, Text, Title, UnstyledButton } from '@mantine/core';
import {
  type Icon,
  IconApi,
  IconChevronRight,
  IconDatabaseImport,
  IconHomeMove,
  IconPencil,
  IconSparkles,
  IconWorld,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { addExamples } from '../../api/account/examples.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { MOVE_PATH, NETWORK_PATH } from '../../navigation.ts';
import classes from './first-steps.module.css';

const texts = m.home.empty;

interface DataSource {
  to: string;
  icon: Icon;
  title: string;
  text: string;
}

const importSource: DataSource = {
  to: '/data/imports',
  icon: IconDatabaseImport,
  title: texts.importTitle,
  text: texts.importText,
};
const moveSource: DataSource = { to: MOVE_PATH, icon: IconHomeMove, title: texts.moveTitle, text: texts.moveText };
const otherSources: readonly DataSource[] = [
  { to: '/data?add=1', icon: IconPencil, title: texts.addTitle, text: texts.addText },
  { to: '/settings/api', icon: IconApi, title: texts.apiTitle, text: texts.apiText },
  { to: NETWORK_PATH, icon: IconWorld, title: m.network.setup.title, text: m.network.setup.text },
];

export function FirstSteps() {
  return (
    <section>
      <Title order={2}>{texts.title}</Title>
      <Text c="dimmed" mb="md">
        {texts.text}
      </Text>
      <DataSourceList />
    </section>
  );
}

/** @param props `short`: only the most common sources */
export function DataSourceList({ short = false, onExamplesAdded }: { short?: boolean; onExamplesAdded?: () => void }) {
  const { busy, problem, run } = useSubmit();
  const addExampleData = async () => {
    await addExamples();
    onExamplesAdded?.();
  };
  return (
    <>
      <ul className={classes.options}>
        <DataSourceLink source={importSource} />
        <li>
          <UnstyledButton className={classes.option ?? ''} disabled={busy} onClick={() => void run(addExampleData)}>
            <DataSourceContent icon={IconSparkles} title={m.examples.offer} text={m.examples.offerText}>
              {busy ? (
                <Loader size={18} aria-label={m.examples.adding} />
              ) : (
                <IconChevronRight size={18} stroke={1.6} aria-hidden="true" />
              )}
            </DataSourceContent>
          </UnstyledButton>
        </li>
        <DataSourceLink source={moveSource} />
        {!short && otherSources.map((source) => <DataSourceLink key={source.to} source={source} />)}
      </ul>
      <SubmitError problem={problem} />
    </>
  );
}

function DataSourceLink({ source: { to, ...content } }: { source: DataSource }) {
  return (
    <li>
      <Link to={to} className={classes.option}>
        <DataSourceContent {...content}>
          <IconChevronRight size={18} stroke={1.6} aria-hidden="true" />
        </DataSourceContent>
      </Link>
    </li>
  );
}

function DataSourceContent({
  icon: SourceIcon,
  title,
  text,
  children,
}: Omit<DataSource, 'to'> & { children: ReactNode }) {
  return (
    <>
      <SourceIcon size={22} stroke={1.5} aria-hidden="true" />
      <span>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      {children}
    </>
  );
}
