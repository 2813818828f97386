import { gitId } from '../../git/git-id.ts';
import type { Repository } from '../../world/model.ts';
import type { FieldRequest, Fields } from './field-request.ts';

/** The longest text that GitHub sends in one response, in bytes. */
const maxTextBytes = 512_000;

/** Finds the file or folder that an expression such as `HEAD:path` names, null when there is none. */
export function findFile(context: FieldRequest, repository: Repository, path: string): Fields | null {
  const text = repository.files.get(path);
  if (text !== undefined) return blobFields(context, repository, text);
  const prefix = path === '' ? '' : `${path}/`;
  const below = [...repository.files.keys()].filter((name) => name.startsWith(prefix));
  if (below.length === 0) return null;
  const names = new Set(below.map((name) => name.slice(prefix.length).split('/', 1)[0] ?? ''));
  return {
    __typename: 'Tree',
    id: `T_${repository.id}_${path}`,
    oid: gitId('tree', Buffer.from(path)),
    repository: () => context.fieldsOf.repository(repository),
    entries: [...names].toSorted().map((name) => ({
      name,
      path: `${prefix}${name}`,
      type: repository.files.has(`${prefix}${name}`) ? 'blob' : 'tree',
      object: () => findFile(context, repository, `${prefix}${name}`),
    })),
  };
}

function blobFields(context: FieldRequest, repository: Repository, text: string): Fields {
  const content = Buffer.from(text);
  const oid = gitId('blob', content);
  const isBinary = content.includes(0);
  return {
    __typename: 'Blob',
    id: `B_${oid}`,
    oid,
    abbreviatedOid: oid.slice(0, 7),
    byteSize: content.length,
    isBinary,
    isTruncated: content.length > maxTextBytes,
    text: isBinary ? null : content.subarray(0, maxTextBytes).toString(),
    repository: () => context.fieldsOf.repository(repository),
  };
}
