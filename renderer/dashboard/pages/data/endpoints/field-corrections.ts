import type { EndpointFields, Field, FieldCorrections, NamespaceCorrections } from '../../../../shared/api/contract.ts';

/** Input for one field in the dialog that corrects names, types and units. */
export type FieldInput = Pick<Field, 'path' | 'name' | 'type' | 'unit' | 'colour'>;

/** Input for the name, icon and colour of an endpoint or a source. Undefined: none is chosen. */
export interface DisplayInput {
  name: string;
  icon: EndpointFields['icon'];
  colour: EndpointFields['colour'];
}

/** Returns the corrections for inputs that differ from the shown fields. An empty name restores the inferred name. */
export function findCorrections(
  shownFields: readonly FieldInput[],
  inputs: readonly FieldInput[],
): FieldCorrections['fields'] {
  const shownByPath = new Map(shownFields.map((field) => [field.path, field]));
  return inputs.flatMap(({ path, name, type, unit, colour }) => {
    const before = shownByPath.get(path);
    const changes = {
      ...(name.trim() === before?.name ? {} : { name: name.trim() === '' ? null : name.trim() }),
      ...(type === before?.type ? {} : { type }),
      ...(unit.trim() === before?.unit ? {} : { unit: unit.trim() }),
      ...(colour === before?.colour ? {} : { colour: colour ?? null }),
    };
    return Object.keys(changes).length === 0 ? [] : [{ path, ...changes }];
  });
}

/** Returns the corrections for an input that differs from what is shown. An empty name removes the owner's name. */
export function findDisplayCorrections(shown: DisplayInput, input: DisplayInput): NamespaceCorrections {
  const name = input.name.trim();
  return {
    ...(name === shown.name ? {} : { name: name === '' ? null : name }),
    ...(input.icon === shown.icon ? {} : { icon: input.icon ?? null }),
    ...(input.colour === shown.colour ? {} : { colour: input.colour ?? null }),
  };
}
