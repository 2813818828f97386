import { Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { SingleSchema, single } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { describeReport, type Report } from '../../rules/file/report.ts';
import { maxFileBytes } from '../../rules/file/yaml-tree.ts';
import { saveDocument } from '../file/file-store.ts';
import type { ReadBoardsFile } from '../file/read-file.ts';
import type { DocumentReader } from './document-reader.ts';

/** An error or warning about a document, with its line and column. */
export const FaultItem = Type.Object(
  {
    severity: Type.Enum(['error', 'warning']),
    line: Type.Integer({ examples: [7] }),
    column: Type.Integer({ examples: [13] }),
    message: Type.String({ examples: ['ties cannot be share; expected shared or earliest; did you mean shared?'] }),
  },
  { title: 'BoardFault' },
);

const Stored = Type.Object(
  {
    boards: Type.Array(Type.String(), {
      description: 'Slugs of the boards without errors.',
      examples: [['release-4']],
    }),
    faults: Type.Array(FaultItem),
  },
  { title: 'BoardDocument' },
);

/** The body of a document: YAML, of which JSON is a part. */
export const DocumentBody = Type.String({ description: 'The document in YAML or JSON, as `.plaudit/boards.yaml`.' });

export function toFault(report: Report) {
  const { severity, line, column } = report;
  return { severity, line, column, message: describeReport(report) };
}

/** Adds routes whose bodies are read as text, with any media type. */
export function withTextBodies(app: App, addRoutes: (scope: App) => void): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    addRoutes(scope);
  });
}

/**
 * Refuses a document that has no valid board because of errors: a typing error must not remove all boards.
 * @throws AppError `invalid_input`.
 */
function requireBoards({ boards, reports }: ReadBoardsFile): void {
  const errors = reports.filter(({ severity }) => severity === 'error');
  if (boards.length > 0 || errors.length === 0) return;
  const places = errors.map((error) => `line ${error.line}, column ${error.column}: ${describeReport(error)}`);
  throw new AppError('invalid_input', ['The document has no board without an error.', ...places].join('\n'));
}

/** Registers the document with which an owner replaces the file of boards. */
export function documentRoutes(app: App, services: AccessServices, reader: DocumentReader): void {
  const { connection, now, newId } = services;
  const shared = { path: '/v1/:provider/entities/:name/boards', params: AccountPath, tag: 'Boards' } as const;
  withTextBodies(app, (scope) => {
    addOwnerEndpoint(scope, services, {
      ...shared,
      method: 'PUT',
      operationId: 'putBoards',
      summary: 'Replaces the file of boards by a document; a faulty board never disables the others',
      needs: 'manage',
      confirmation: 'live',
      body: DocumentBody,
      bodyLimit: maxFileBytes,
      response: SingleSchema(Stored),
      load: ({ account, caller, body }) =>
        reader.withDocument(account, body, async (read) => {
          const { boards, reports } = read;
          requireBoards(read);
          await inTransaction(connection, async (transaction) => {
            await saveDocument(transaction, account.id, read, { now: now(), newId });
            const actor = await findActor(transaction, caller);
            const subject = `${boards.length} boards`;
            await recordAction(services, transaction, account.id, { action: 'boards_changed', subject, ...actor });
          });
          return { boards: boards.map(({ slug }) => slug), faults: reports.map(toFault) };
        }),
      present: (stored) => single('unknown', stored),
    });
  });
  addOwnerEndpoint(app, services, {
    ...shared,
    method: 'DELETE',
    operationId: 'deleteBoards',
    summary: 'Removes the document, so that the file of boards counts again',
    needs: 'manage',
    confirmation: 'live',
    load: async ({ account, caller }) => {
      await inTransaction(connection, async (transaction) => {
        await saveDocument(transaction, account.id, null, { now: now(), newId });
        const actor = await findActor(transaction, caller);
        await recordAction(services, transaction, account.id, { action: 'boards_changed', subject: 'file', ...actor });
      });
    },
  });
}
