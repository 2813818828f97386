import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type Candidate, enumChanges, integerChanges, type Path, textChanges, timeChanges } from './candidate.ts';

/** Lists every change that a GraphQL schema allows in the response to a query. */

interface Field {
  name: string;
  type: GraphQLOutputType;
  selections: SelectionSetNode[];
}

interface Reader {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** A union or interface with more members is tried with one member of each set of selected fields. */
const maxMembers = 8;
const typeName = '__typename';

/** @param body the body of the response, with `data`. */
export function graphqlCandidates(schema: GraphQLSchema, query: string, body: unknown): Candidate[] {
  const document = parse(query);
  const reader = { schema, fragments: listFragments(document) };
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const root = operation && schema.getRootType(operation.operation);
  const { data } = Object(body) as { data?: unknown };
  if (!operation || !root || data === undefined || data === null) return [];
  return ofObject(reader, root, [operation.selectionSet], data, ['data']);
}

function listFragments(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function ofObject(
  reader: Reader,
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  value: unknown,
  path: Path,
): Candidate[] {
  return [...listFields(reader, type, selections)].flatMap(([key, field]) =>
    field.name === typeName ? [] : ofValue(reader, field, (value as Record<string, unknown>)[key], [...path, key]),
  );
}

function ofValue(reader: Reader, field: Omit<Field, 'name'>, value: unknown, path: Path): Candidate[] {
  if (value === null || value === undefined) return [];
  const type = getNullableType(field.type);
  const { selections } = field;
  const candidates: Candidate[] = isNonNullType(field.type) ? [] : [{ path, change: 'null', value: null }];
  if (isListType(type)) {
    const item = { type: type.ofType, selections };
    const items = (value as unknown[]).flatMap((element, index) => ofValue(reader, item, element, [...path, index]));
    return [...candidates, ...items];
  }
  if (isEnumType(type)) return [...candidates, ...enumChanges(path)];
  if (isLeafType(type)) return [...candidates, ...ofScalar(type.name, value, path)];
  if (isAbstractType(type)) return [...candidates, ...ofAbstract(reader, type, selections, value, path)];
  return isObjectType(type) ? [...candidates, ...ofObject(reader, type, selections, value, path)] : candidates;
}

function ofScalar(type: string, value: unknown, path: Path): Candidate[] {
  if (typeof value === 'number') return type === 'Int' ? integerChanges(path) : [];
  if (typeof value !== 'string') return [];
  if (type === 'DateTime' || type === 'Date') return timeChanges(path);
  if (type === 'BigInt') {
    return ['', '-1', '9'.repeat(40), 'x'].map((text) => ({ path, change: `BigInt ${text.slice(0, 2)}`, value: text }));
  }
  return textChanges(path, value);
}

/** Replaces the present member by each other member, then continues inside the present one. */
function ofAbstract(
  reader: Reader,
  type: GraphQLAbstractType,
  selections: readonly SelectionSetNode[],
  value: unknown,
  path: Path,
): Candidate[] {
  const members = reader.schema.getPossibleTypes(type);
  const listKeys = (member: GraphQLObjectType): string => [...listFields(reader, member, selections).keys()].join();
  const keys = Object.keys(Object(value)).join();
  const current =
    members.find((member) => memberName(reader, member, selections, value) === member.name) ??
    members.find((member) => listKeys(member) === keys);
  if (current === undefined) return [];
  const others = members.filter((member) => member !== current);
  const distinct = [...new Map(others.map((member) => [listKeys(member), member])).values()];
  const tried = others.length <= maxMembers ? others : distinct;
  return [
    ...tried.map((member) => ({
      path,
      change: `member ${member.name}`,
      value: placeholderObject(reader, member, selections, Object(value) as Record<string, unknown>),
    })),
    ...ofObject(reader, current, selections, value, path),
  ];
}

/** Returns the `__typename` of a value, where the query selects it. */
function memberName(
  reader: Reader,
  member: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  value: unknown,
): unknown {
  const selected = [...listFields(reader, member, selections)].find(([, { name }]) => name === typeName);
  return selected && (value as Record<string, unknown>)[selected[0]];
}

/** Returns only the fields that the query selects on a type; fields that both types have keep their values. */
function placeholderObject(
  reader: Reader,
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  from: Record<string, unknown>,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, field] of listFields(reader, type, selections)) {
    object[key] = field.name === typeName ? type.name : (from[key] ?? placeholderValue(reader, field));
  }
  return object;
}

function placeholderValue(reader: Reader, { type, selections }: Field): unknown {
  if (!isNonNullType(type)) return null;
  const inner = type.ofType;
  if (isListType(inner)) return [];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (isObjectType(inner)) return placeholderObject(reader, inner, selections, {});
  return placeholderScalar(inner);
}

function placeholderScalar({ name }: GraphQLNamedType): unknown {
  const values: Record<string, unknown> = { Int: 1, Float: 1, Boolean: false, DateTime: '2026-01-01T00:00:00Z' };
  return values[name] ?? 'made-up';
}

/** Returns the fields that a query selects on a type, by their names in the response. */
function listFields(
  reader: Reader,
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
): Map<string, Field> {
  const fields = new Map<string, Field>();
  const add = (node: FieldNode): void => {
    const key = (node.alias ?? node.name).value;
    const name = node.name.value;
    const described = type.getFields()[name]?.type;
    const field = fields.get(key);
    if (node.selectionSet) field?.selections.push(node.selectionSet);
    if (field !== undefined) return;
    const named = name === typeName ? reader.schema.getType('String') : undefined;
    const fieldType = described ?? (named as GraphQLOutputType | undefined);
    if (fieldType === undefined) throw new Error(`${type.name} has no field ${name}`);
    fields.set(key, { name, type: fieldType, selections: node.selectionSet ? [node.selectionSet] : [] });
  };
  const visit = (set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) add(node);
      else {
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : reader.fragments.get(node.name.value);
        if (fragment && applies(reader, fragment.typeCondition?.name.value, type)) visit(fragment.selectionSet);
      }
    }
  };
  for (const set of selections) visit(set);
  return fields;
}

function applies({ schema }: Reader, condition: string | undefined, type: GraphQLObjectType): boolean {
  const namedType = condition === undefined ? type : schema.getType(condition);
  return namedType === type || (isAbstractType(namedType) && schema.isSubType(namedType, type));
}
