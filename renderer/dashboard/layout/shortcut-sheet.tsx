import { Kbd, Switch, Text, Title } from '@mantine/core';
import { Fragment } from 'react';
import { useShortcutSetting } from '../../shared/keyboard/use-shortcuts.ts';
import { m } from '../../shared/messages/texts.ts';
import { Dialog } from '../../shared/overlay/dialog.tsx';
import { navigationEntries } from '../navigation.ts';
import classes from './shortcut-sheet.module.css';

const texts = m.shell.shortcuts;

interface Shortcut {
  keys: readonly string[];
  label: string;
}

const GROUPS: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: texts.everywhere,
    shortcuts: [
      { keys: ['/'], label: texts.search },
      { keys: ['?'], label: texts.sheet },
      { keys: [texts.control, 'Z'], label: texts.undo },
    ],
  },
  {
    title: texts.lists,
    shortcuts: [
      { keys: ['J'], label: texts.next },
      { keys: ['K'], label: texts.previous },
      { keys: ['X'], label: texts.select },
      { keys: [texts.enter], label: texts.open },
      { keys: ['E'], label: m.shell.edit },
      { keys: [texts.delete], label: texts.remove },
    ],
  },
  {
    title: texts.item,
    shortcuts: [
      { keys: ['E'], label: m.shell.edit },
      { keys: ['J'], label: texts.next },
      { keys: ['K'], label: texts.previous },
      { keys: [texts.escape], label: texts.close },
    ],
  },
  {
    title: texts.pages,
    shortcuts: navigationEntries.map(({ key, label }) => ({ keys: ['G', key.toUpperCase()], label })),
  },
];

export function ShortcutSheet({ opened, close }: { opened: boolean; close: () => void }) {
  const [isOn, setIsOn] = useShortcutSetting();
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={texts.title}
      size="44rem"
      closeButtonProps={{ 'aria-label': m.shell.close }}
    >
      <div className={classes.groups}>
        {GROUPS.map(({ title, shortcuts }) => (
          <section key={title}>
            <Title order={3} size="h5" mb="xs">
              {title}
            </Title>
            <dl className={classes.list}>
              {shortcuts.map(({ keys, label }) => (
                <Fragment key={label}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key} size="sm">
                        {key}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        mt="lg"
        label={texts.on}
        description={texts.onText}
        checked={isOn}
        onChange={(event) => setIsOn(event.currentTarget.checked)}
      />
      <Text c="dimmed" mt="xs">
        {texts.always}
      </Text>
    </Dialog>
  );
}
