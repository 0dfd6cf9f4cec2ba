import { ActionIcon, Drawer, Group, Tooltip } from '@mantine/core';
import { type Icon, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';
import { m } from '../messages/texts.ts';
import classes from './side-drawer.module.css';
import { useTopLayer } from './use-top-layer.ts';

interface Step {
  label: string;
  /** Undefined at the beginning or end of the list. */
  onClick: (() => void) | undefined;
}

interface SideDrawerProps {
  opened: boolean;
  close: () => void;
  title: string;
  size?: string;
  /** Keeps the drawer open on Escape and clicks outside, to protect unsaved changes. */
  isLocked?: boolean;
  steps?: { previous: Step; next: Step } | undefined;
  /** Runs on the edit shortcut. */
  edit?: (() => void) | undefined;
  children: ReactNode;
}

/** Shows details beside the page, which keeps its scroll position. */
export function SideDrawer(props: SideDrawerProps) {
  const { opened, close, title, size = '36rem', isLocked = false, steps, edit, children } = props;
  const isOnTop = useTopLayer(opened);
  const whenOnTop = (action: (() => void) | undefined) => () => {
    if (opened && isOnTop()) action?.();
  };
  useShortcuts('dialog', {
    e: whenOnTop(edit),
    j: whenOnTop(steps?.next.onClick),
    k: whenOnTop(steps?.previous.onClick),
  });
  return (
    <Drawer.Root
      opened={opened}
      onClose={() => {
        if (isOnTop()) close();
      }}
      position="right"
      size={size}
      transitionProps={{ duration: 120 }}
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      classNames={{ content: classes.content ?? '' }}
    >
      <Drawer.Overlay backgroundOpacity={0.18} />
      <Drawer.Content aria-label={title}>
        <Drawer.Header className={classes.header ?? ''}>
          <Drawer.Title className={classes.title ?? ''}>{title}</Drawer.Title>
          {steps !== undefined && (
            <Group gap={4} ml="auto">
              <StepButton step={steps.previous} icon={IconChevronUp} />
              <StepButton step={steps.next} icon={IconChevronDown} />
            </Group>
          )}
          <Drawer.CloseButton aria-label={m.shell.close} ml={steps === undefined ? 'auto' : 'xs'} />
        </Drawer.Header>
        <Drawer.Body className={classes.body ?? ''}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function StepButton({ step: { label, onClick }, icon: StepIcon }: { step: Step; icon: Icon }) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        size={32}
        aria-label={label}
        disabled={onClick === undefined}
        onClick={onClick}
      >
        <StepIcon size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Returns a step to a neighbour; it is disabled if there is none. */
export function stepTo<Item>(label: string, neighbour: Item | undefined, open: (item: Item) => void): Step {
  return { label, onClick: neighbour === undefined ? undefined : () => open(neighbour) };
}
