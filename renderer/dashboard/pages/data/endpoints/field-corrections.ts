import type { Field, FieldCorrections } from '../../../../shared/api/contract.ts';

/** Input for one field in the dialog that corrects names, types and units. */
export type FieldInput = Pick<Field, 'path' | 'name' | 'type' | 'unit'>;

/** Returns the corrections for inputs that differ from the shown fields. An empty name restores the inferred name. */
export function findCorrections(
  shownFields: readonly FieldInput[],
  inputs: readonly FieldInput[],
): FieldCorrections['fields'] {
  const shownByPath = new Map(shownFields.map((field) => [field.path, field]));
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
