import { Type } from 'typebox';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { OptionalTimestampSchema, SingleSchema, single } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { maxFileBytes } from '../../rules/file/yaml-tree.ts';
import type { DocumentReader } from '../document/document-reader.ts';
import { DocumentBody, FaultItem, toFault, withTextBodies } from '../document/routes.ts';
import { BoardItem } from '../views/board-json.ts';
import { toItem } from './preview-json.ts';
import { type BoardPreview, previewBoard } from './preview-store.ts';

const PreviewedBoard = Type.Object(
  {
    repositories: BoardItem.properties.repositories,
    as_of: OptionalTimestampSchema(),
    slug: Type.String({ examples: ['release-4'] }),
    name: Type.String({ examples: ['Release 4 sprint'] }),
    window: BoardItem.properties.window,
    rules: BoardItem.properties.rules,
    warnings: Type.Array(Type.String(), { description: 'What the author should read before the board is live.' }),
    points_by_rule: Type.Array(Type.Object({ rule: Type.Integer(), points: Type.Number() })),
    people: Type.Integer({ description: 'People on the board.', examples: [42] }),
    ranking: Type.Array(
      Type.Object({
        rank: Type.Integer(),
        provider: Type.String(),
        login: Type.String(),
        points: Type.Number(),
        newcomer: Type.Boolean(),
        returning: Type.Boolean(),
        eligible: Type.Union([Type.Null(), Type.Boolean()]),
      }),
      { description: 'The first 30 people.' },
    ),
  },
  { title: 'BoardPreview' },
);

const Preview = Type.Object(
  { faults: Type.Array(FaultItem), boards: Type.Array(PreviewedBoard) },
  { title: 'BoardsPreview' },
);

/**
 * The number of boards of a document that one preview ranks. A ranking is work of the database, within the time limit of
 * statements and one at a time for an owner; making its SQL takes this process 40 ms for the longest conditions.
 */
const maxPreviewed = 5;

/** Registers the preview of a document: its faults, and the ranking that it would give. */
export function previewRoutes(app: App, services: AccessServices, reader: DocumentReader): void {
  const { connection, now, computations } = services;
  withTextBodies(app, (scope) => {
    addOwnerEndpoint(scope, services, {
      method: 'POST',
      path: '/v1/:provider/entities/:name/boards/preview',
      operationId: 'previewBoards',
      tag: 'Boards',
      summary: 'The faults of a document of boards, and the rankings of its first five boards; stores nothing',
      needs: 'read',
      params: AccountPath,
      body: DocumentBody,
      bodyLimit: maxFileBytes,
      response: SingleSchema(Preview),
      load: ({ account, body }) =>
        reader.withDocument(account, body, async ({ boards, reports }) => {
          const previews = await computations.alone(async () => {
            const found: BoardPreview[] = [];
            for (const board of boards.slice(0, maxPreviewed))
              found.push(await previewBoard(connection, board, { ownerId: account.id, now: now() }));
            return found;
          });
          return { faults: reports.map(toFault), boards: previews.map(toItem) };
        }),
      present: (preview) => single('unknown', preview),
    });
  });
}
