import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

export interface QueryCost {
  /** Points of the primary limit. */
  points: number;
  /** The largest possible number of objects in the response. */
  nodes: number;
}

export type Variables = Readonly<Record<string, unknown>>;

/**
 * Returns the cost of a query by GitHub's documented formula: the requests that its connections need, each as often as
 * the ones above it have items, divided by a hundred.
 * @see https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
export function queryCost(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): QueryCost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const values = { ...toDefaults(operation), ...variables };
  const { requests, nodes } = countIn(operation.selectionSet, 1, fragments, values);
  return { points: Math.max(1, Math.round(requests / 100)), nodes };
}

/** Returns the default values of integer variables, for requests that leave them out. */
function toDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );
}

interface Count {
  requests: number;
  nodes: number;
}

function countIn(
  selections: SelectionSetNode | undefined,
  parents: number,
  fragments: Map<string, FragmentDefinitionNode>,
  variables: Variables,
): Count {
  const total = { requests: 0, nodes: 0 };
  const add = (count: Count): void => {
    total.requests += count.requests;
    total.nodes += count.nodes;
  };
  for (const selection of selections?.selections ?? []) {
    switch (selection.kind) {
      case Kind.FRAGMENT_SPREAD:
        add(countIn(fragments.get(selection.name.value)?.selectionSet, parents, fragments, variables));
        break;
      case Kind.INLINE_FRAGMENT:
        add(countIn(selection.selectionSet, parents, fragments, variables));
        break;
      case Kind.FIELD: {
        const size = (selection.arguments ?? [])
          .filter(({ name }) => name.value === 'first' || name.value === 'last')
          .map(({ value }) => numberIn(value, variables))
          .find((number) => number !== undefined);
        if (size !== undefined) add({ requests: parents, nodes: parents * size });
        add(countIn(selection.selectionSet, parents * (size ?? 1), fragments, variables));
      }
    }
  }
  return total;
}

function numberIn(value: ValueNode, variables: Variables): number | undefined {
  const number =
    value.kind === Kind.VARIABLE
      ? variables[value.name.value]
      : value.kind === Kind.INT
        ? Number(value.value)
        : undefined;
  return typeof number === 'number' ? number : undefined;
}
