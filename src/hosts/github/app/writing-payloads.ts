import { Type } from 'typebox';

export const DiscussionTitlesPayload = Type.Object({
  repository: Type.Union([
    Type.Null(),
    Type.Object({
      discussions: Type.Object({
        nodes: Type.Array(Type.Union([Type.Null(), Type.Object({ id: Type.String(), title: Type.String() })])),
        pageInfo: Type.Object({
          hasNextPage: Type.Boolean(),
          endCursor: Type.Union([Type.Null(), Type.String()]),
        }),
      }),
    }),
  ]),
});

export const LastCommentsPayload = Type.Object({
  node: Type.Union([
    Type.Null(),
    Type.Object({
      comments: Type.Optional(
        Type.Object({ nodes: Type.Array(Type.Union([Type.Null(), Type.Object({ body: Type.String() })])) }),
      ),
    }),
  ]),
});

export const AddedCommentPayload = Type.Object({
  addDiscussionComment: Type.Union([
    Type.Null(),
    Type.Object({ comment: Type.Union([Type.Null(), Type.Object({ id: Type.String() })]) }),
  ]),
});

export const CheckRunPayload = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  status: Type.String(),
  external_id: Type.Union([Type.Null(), Type.String()]),
  output: Type.Object({ annotations_count: Type.Integer({ minimum: 0 }) }),
});

export const CheckRunsPayload = Type.Object({ check_runs: Type.Array(CheckRunPayload) });
