import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { type Icon, IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { m } from '../../../../shared/messages/texts.ts';
import { moveItem } from '../record-table/column-choices.ts';
import { type ElementType, type ListControl, MAX_LIST_ELEMENTS } from './controls.ts';
import { type FormState, hasInvalidInput, setElements, typeInput } from './draft.ts';
import classes from './edit-form.module.css';
import { ValueInput } from './value-input.tsx';
import { type ListButton, removalFocusSelector, buttonSelector, inputSelector } from './form-focus.ts';
import type { FieldRow } from './form-rows.ts';

const texts = m.recordEditor.list;
const NEW_ELEMENTS = { text: '""', number: '0' };
const ADD_BUTTONS: Readonly<
  Record<ListControl['elementType'], readonly { type: ElementType; text: string; label: (field: string) => string }[]>
> = {
  text: [{ type: 'text', text: texts.add, label: texts.addTo }],
  number: [{ type: 'number', text: texts.add, label: texts.addTo }],
  unknown: [
    { type: 'text', text: texts.addText, label: texts.addTextTo },
    { type: 'number', text: texts.addNumber, label: texts.addNumberTo },
  ],
};

interface ListInputProps {
  row: FieldRow;
  control: ListControl;
  state: FormState;
}

export function ListInput({ row, control: { elements, elementType }, state }: ListInputProps) {
  const { path, label, hint, elements: rows } = row;
  const { draft, change, language, focusNext } = state;
  // Invalid text exists only in its input, so moving its element would lose it.
  const isLocked = hasInvalidInput(draft, path);
  const replaceElements = (newElements: readonly string[], focusSelector: string) => {
    focusNext(focusSelector);
    change(setElements(draft, path, newElements));
  };
  const move = (from: number, to: number, button: ListButton) =>
    replaceElements(moveItem(elements, from, to), buttonSelector([...path, to], button));
  return (
    <fieldset className={classes.list}>
      <legend>
        <bdi>{label}</bdi>
      </legend>
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
      {rows.length === 0 ? (
        <Text c="dimmed">{texts.empty}</Text>
      ) : (
        <ol>
          {rows.map((element, index) => {
            const itemLabel = texts.item(label, element.label);
            const { control } = element;
            return (
              <li key={element.key} data-row={element.key}>
                {control.kind !== 'list' && control.kind !== 'null' && (
                  <ValueInput
                    label={itemLabel}
                    isLabelHidden
                    hint={undefined}
                    control={control}
                    isInvalid={element.isInvalid}
                    isOptional={false}
                    onChange={(text) => change(typeInput(draft, element.path, control, text, language))}
                  />
                )}
                <ElementButton
                  label={texts.moveUp(itemLabel)}
                  button="up"
                  icon={IconArrowUp}
                  isDisabled={isLocked || index === 0}
                  onClick={() => move(index, index - 1, 'up')}
                />
                <ElementButton
                  label={texts.moveDown(itemLabel)}
                  button="down"
                  icon={IconArrowDown}
                  isDisabled={isLocked || index === rows.length - 1}
                  onClick={() => move(index, index + 1, 'down')}
                />
                <ElementButton
                  label={texts.remove(itemLabel)}
                  button="remove"
                  icon={IconX}
                  isDisabled={isLocked}
                  onClick={() =>
                    replaceElements(elements.toSpliced(index, 1), removalFocusSelector(path, index, elements.length))
                  }
                />
              </li>
            );
          })}
        </ol>
      )}
      <Group gap="xs">
        {ADD_BUTTONS[elementType].map((button) => (
          <Button
            key={button.text}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={15} stroke={1.6} />}
            aria-label={button.label(label)}
            data-button="add"
            disabled={isLocked || elements.length >= MAX_LIST_ELEMENTS}
            onClick={() =>
              replaceElements([...elements, NEW_ELEMENTS[button.type]], inputSelector([...path, elements.length]))
            }
          >
            {button.text}
          </Button>
        ))}
      </Group>
    </fieldset>
  );
}

interface ElementButtonProps {
  label: string;
  button: ListButton;
  icon: Icon;
  isDisabled: boolean;
  onClick: () => void;
}

/** Stays focusable while disabled. */
function ElementButton({ label, button, icon: ButtonIcon, isDisabled, onClick }: ElementButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size={40}
      aria-label={label}
      data-button={button}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : onClick}
    >
      <ButtonIcon size={16} stroke={1.6} />
    </ActionIcon>
  );
}
