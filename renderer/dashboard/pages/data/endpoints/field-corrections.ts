import type { EndpointFields, Field, FieldCorrections, NamespaceCorrections } from '../../../../shared/api/contract.ts';

export type FieldInput = Pick<Field, 'path' | 'name' | 'type' | 'unit' | 'colour'>;

/** Display settings of an endpoint or a source. Icon and colour are undefined if the owner has not chosen them. */
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
    const shownField = shownByPath.get(path);
    const changes = {
      ...(name.trim() === shownField?.name ? {} : { name: name.trim() === '' ? null : name.trim() }),
      ...(type === shownField?.type ? {} : { type }),
      ...(unit.trim() === shownField?.unit ? {} : { unit: unit.trim() }),
      ...(colour === shownField?.colour ? {} : { colour: colour ?? null }),
    };
    return Object.keys(changes).length === 0 ? [] : [{ path, ...changes }];
  });
}

/** Returns corrections only for changed properties. An empty name removes the owner's name. */
export function findDisplayCorrections(shownDisplay: DisplayInput, input: DisplayInput): NamespaceCorrections {
  const name = input.name.trim();
  return {
    ...(name === shownDisplay.name ? {} : { name: name === '' ? null : name }),
    ...(input.icon === shownDisplay.icon ? {} : { icon: input.icon ?? null }),
    ...(input.colour === shownDisplay.colour ? {} : { colour: input.colour ?? null }),
  };
}
