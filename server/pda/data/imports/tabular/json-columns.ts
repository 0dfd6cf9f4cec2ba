import { findValueEnd, forEachMember } from '../../../../platform/json/members.ts';
import { decodeString } from '../../../../platform/json/strings.ts';
import type { ColumnChoice } from '../../../../wire/imports.ts';
import { jsonOfText } from './column-types.ts';

/**
 * Applies the owner's column types to the members of an object, and omits members of the type `skip`. Values that do
 * not fit their type stay unchanged.
 */
export function convertMembers(text: string, types: ReadonlyMap<string, ColumnChoice>): string {
  if (!text.startsWith('{')) return text;
  let members = '';
  let memberStart = 1;
  forEachMember(text, 0, (name, start) => {
    const end = findValueEnd(text, start);
    const choice = types.get(name);
    if (choice !== 'skip') {
      const value = text.slice(start, end);
      const convertedValue = choice === undefined ? value : convertValue(value, choice);
      members += `${members === '' ? '' : ','}${text.slice(memberStart, start)}${convertedValue}`;
    }
    memberStart = end + 1;
    return end;
  });
  return `{${members}}`;
}

function convertValue(value: string, choice: Exclude<ColumnChoice, 'skip'>): string {
  const [first = ''] = value;
  if (first === '{' || first === '[' || value === 'null') return value;
  if (first === '"') return jsonOfText(decodeString(value), choice, true);
  const convertedValue = jsonOfText(value, choice, true);
  // A number or boolean that does not fit the chosen type stays unchanged.
  return choice === 'text' || !convertedValue.startsWith('"') ? convertedValue : value;
}

export function memberTextsOf(object: string): Map<string, string> {
  const members = new Map<string, string>();
  forEachMember(object, 0, (name, start) => {
    const end = findValueEnd(object, start);
    members.set(name, object.slice(start, end));
    return end;
  });
  return members;
}

/**
 * Returns the record of a GeoJSON feature: its properties, and its other members except `type`, such as `geometry`. A
 * member with the name of a property is renamed, for example to `id_2`. Returns any other text unchanged.
 */
export function recordOfFeature(text: string): string {
  if (!text.startsWith('{')) return text;
  const members = memberTextsOf(text);
  const properties = members.get('properties') ?? '';
  if (members.get('type') !== '"Feature"' || !(properties === 'null' || properties.startsWith('{'))) return text;
  const propertyNames = new Set<string>(properties === 'null' ? [] : memberTextsOf(properties).keys());
  members.delete('type');
  members.delete('properties');
  const propertyTexts = propertyNames.size === 0 ? [] : [properties.slice(1, -1)];
  const memberTexts = [...members].map(
    ([name, value]) => `${JSON.stringify(reserveName(name, propertyNames))}:${value}`,
  );
  const isId = (member: string): boolean => member.startsWith('"id":');
  const texts = [...memberTexts.filter(isId), ...propertyTexts, ...memberTexts.filter((member) => !isId(member))];
  return `{${texts.join(',')}}`;
}

function reserveName(name: string, propertyNames: Set<string>): string {
  let uniqueName = name;
  for (let number = 2; propertyNames.has(uniqueName); number += 1) uniqueName = `${name}_${number}`;
  propertyNames.add(uniqueName);
  return uniqueName;
}
