import type { EndpointFields, Field, FieldCorrections, NamespaceCorrections } from '../../../../shared/api/contract.ts';

export type FieldInput = Pick<Field, 'path' | 'name' | 'type' | 'unit' | 'colour'>;

/** Display settings of an endpoint or a source; undefined properties are not set. */
export interface DisplayInput {
  name: string;
  icon: EndpointFields['icon'];
  colour: EndpointFields['colour'];
}

/** Returns corrections only for changed fields. An empty name restores the inferred name. */
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

/** Returns corrections only for changed properties. An empty name removes the owner's name. */
export function findDisplayCorrections(shown: DisplayInput, input: DisplayInput): NamespaceCorrections {
  const name = input.name.trim();
  return {
    ...(name === shown.name ? {} : { name: name === '' ? null : name }),
    ...(input.icon === shown.icon ? {} : { icon: input.icon ?? null }),
    ...(input.colour === shown.colour ? {} : { colour: input.colour ?? null }),
  };
}
