/** A part of a statement as PostgreSQL's parser returns it. */
export type Node = Readonly<Record<string, unknown>>;

/** The nodes that read tables. */
export const levels: ReadonlySet<string> = new Set(['SelectStmt', 'UpdateStmt', 'DeleteStmt']);

export function toAlias(node: Node): string | undefined {
  return isNode(node['alias']) ? String(node['alias']['aliasname']) : undefined;
}

export function listEntries(part: unknown): [string, unknown][] {
  return typeof part === 'object' && part !== null ? Object.entries(part) : [];
}

export function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null;
}
