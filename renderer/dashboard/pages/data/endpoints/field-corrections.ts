import type { Field, FieldCorrections } from '../../../../shared/api/contract.ts';

/** Inputs of one field in the dialog that corrects names and types. */
export type FieldInput = Pick<Field, 'path' | 'name' | 'type' | 'unit'>;

/** Returns the corrections for the inputs that differ from what is shown now. An empty name returns to the inferred one. */
export function changedFields(shown: readonly FieldInput[], inputs: readonly FieldInput[]): FieldCorrections['fields'] {
  const shownByPath = new Map(shown.map((field) => [field.path, field]));
  return inputs.flatMap(({ path, name, type, unit }) => {
    const before = shownByPath.get(path);
    const changes = {
      ...(name.trim() === before?.name ? {} : { name: name.trim() === '' ? null : name.trim() }),
      ...(type === before?.type ? {} : { type }),
      ...(unit.trim() === before?.unit ? {} : { unit: unit.trim() }),
    };
    return Object.keys(changes).length === 0 ? [] : [{ path, ...changes }];
  });
}
