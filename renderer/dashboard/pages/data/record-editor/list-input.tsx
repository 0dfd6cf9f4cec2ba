import { ActionIcon, Button, Text } from '@mantine/core';
import { type Icon, IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { m } from '../../../../shared/messages/texts.ts';
import { moveItem } from '../record-table/column-choices.ts';
import { type ListControl, MAX_LIST_ELEMENTS } from './controls.ts';
import { type FormState, hasInvalidInput, setElements, typeInput } from './draft.ts';
import classes from './edit-form.module.css';
import { ValueInput } from './value-input.tsx';
import { type FieldRow, elementRows } from './form-rows.ts';

const words = m.recordEditor.list;
/** JSON of a new element. */
const NEW_ELEMENTS = { text: '""', number: '0' };

interface ListInputProps {
  row: FieldRow;
  control: ListControl;
  state: FormState;
}

/** Inputs for a list of texts or numbers. Elements can be added, moved and removed. */
export function ListInput({ row: { path, label, hint }, control: { elements, elementType }, state }: ListInputProps) {
  const { draft, change, language } = state;
  const rows = elementRows(draft, path, language);
  // A text that its input does not accept is only in the input: moving the element would lose it.
  const isLocked = hasInvalidInput(draft, path);
  const set = (next: readonly string[]) => change(setElements(draft, path, next));
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
        <Text size="sm" c="dimmed">
          {words.empty}
        </Text>
      ) : (
        <ol>
          {rows.map((element, index) => {
            const item = words.item(label, element.label);
            const { control } = element;
            return (
              <li key={element.key}>
                {control.kind !== 'list' && control.kind !== 'null' && (
                  <ValueInput
                    label={item}
                    isLabelHidden
                    hint={undefined}
                    control={control}
                    isInvalid={element.isInvalid}
                    isOpened={false}
                    type={(text) => change(typeInput(draft, element.path, control, text, language))}
                  />
                )}
                <ElementButton
                  label={words.moveUp(item)}
                  icon={IconArrowUp}
                  isDisabled={isLocked || index === 0}
                  onClick={() => set(moveItem(elements, index, index - 1))}
                />
                <ElementButton
                  label={words.moveDown(item)}
                  icon={IconArrowDown}
                  isDisabled={isLocked || index === rows.length - 1}
                  onClick={() => set(moveItem(elements, index, index + 1))}
                />
                <ElementButton
                  label={words.remove(item)}
                  icon={IconX}
                  isDisabled={isLocked}
                  onClick={() => set(elements.toSpliced(index, 1))}
                />
              </li>
            );
          })}
        </ol>
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={15} stroke={1.6} />}
        aria-label={words.addTo(label)}
        disabled={isLocked || elements.length >= MAX_LIST_ELEMENTS}
        onClick={() => set([...elements, NEW_ELEMENTS[elementType]])}
      >
        {words.add}
      </Button>
    </fieldset>
  );
}

interface ElementButtonProps {
  label: string;
  icon: Icon;
  isDisabled: boolean;
  onClick: () => void;
}

/** Button beside an element. It keeps the focus while it has no effect. */
function ElementButton({ label, icon: ButtonIcon, isDisabled, onClick }: ElementButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size={40}
      aria-label={label}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : onClick}
    >
      <ButtonIcon size={16} stroke={1.6} />
    </ActionIcon>
  );
}
