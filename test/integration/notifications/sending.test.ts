import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { toReceiver } from '../../../src/recognition/notifications/notification.ts';
import { send } from '../../../src/recognition/notifications/open.ts';
import { saveWebhookSecret } from '../../../src/recognition/notifications/secrets/store.ts';
import { commentText, writeSecret } from '../../../src/recognition/notifications/senders.ts';
import { readBody, serve } from '../../unit/outbound/receiver.ts';
import { openOutbox } from './outbox.ts';

const dayMs = 86_400_000;

interface ReceivedMessage {
  path: string;
  headers: Record<string, string>;
  text: string;
}

const hostile = '<!channel> @everyone <@U1> *b* [x](https://evil.example) `code` \u202Eabc\n# big';

async function startReceiver() {
  const received: ReceivedMessage[] = [];
  const server = await serve((request, response) => {
    void readBody(request).then((text) => {
      received.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, text });
      response.writeHead(204).end();
    });
  });
  return { ...server, heard: received };
}

/** Returns whether a library of Standard Webhooks signs the message with this secret in the same way. */
function isSigned({ headers, text }: ReceivedMessage, byte: number): boolean {
  const stamp = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(writeSecret(Buffer.alloc(32, byte))).sign(headers['webhook-id'] ?? '', stamp, text);
  return (headers['webhook-signature'] ?? '').split(' ').includes(signature);
}

describe('messages', () => {
  it('sends each receiver one message in its own format, about nothing but the award', async () => {
    await using receiver = await startReceiver();
    await using outbox = await openOutbox([receiver.host]);
    await outbox.follow([
      { name: 'slack', type: 'slack', url: `${receiver.url}/slack`, achievements: ['First', hostile] },
      { name: 'discord', type: 'discord', url: `${receiver.url}/discord`, achievements: ['First', hostile] },
      { name: 'the same again', type: 'discord', url: `${receiver.url}/discord`, achievements: ['First'] },
      { name: 'other', type: 'slack', url: `${receiver.url}/other`, achievements: ['Second'] },
    ]);
    await outbox.award('First', 'ada');
    await outbox.award('Unknown', 'ada');
    await outbox.work();
    await outbox.work();
    assert.deepEqual(receiver.heard.map(({ path }) => path).toSorted(), ['/discord', '/slack']);
    const find = (path: string) => receiver.heard.findLast((message) => message.path === path) ?? assert.fail(path);
    assert.deepEqual(JSON.parse(find('/slack').text), {
      text: 'ada earned the achievement “First” in owner/engine.',
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    });
    assert.deepEqual(JSON.parse(find('/discord').text), {
      content: String.raw`**ada** earned the achievement **First** in owner\/engine.`,
      allowed_mentions: { parse: [] },
      flags: 4,
    });
    assert.equal(find('/slack').headers['content-type'], 'application/json');
    assert.deepEqual(outbox.outcomes.toSorted(), ['discord sent', 'slack sent']);

    await outbox.award(hostile, 'ada');
    await outbox.work();
    const { text } = JSON.parse(find('/slack').text) as { text: string };
    assert.ok(!/[<>\n\u202e]/.test(text), text);
    const { content } = JSON.parse(find('/discord').text) as { content: string };
    assert.ok(content.includes(String.raw`\@everyone`) && content.includes(String.raw`\[x\]\(https\:\/\/`), content);
    assert.ok(!/[\n\u202e]/.test(content));
  });

  it('sends no message about an award that was earned a month before it was found', async () => {
    await using receiver = await startReceiver();
    await using outbox = await openOutbox([receiver.host]);
    await outbox.follow([{ name: 'slack', type: 'slack', url: receiver.url, achievements: ['First'] }]);
    await outbox.award('First', 'long-ago', new Date(outbox.context.now().getTime() - 31 * dayMs));
    await outbox.award('First', 'of-late', new Date(outbox.context.now().getTime() - 29 * dayMs));
    await outbox.work();
    assert.deepEqual(
      receiver.heard.map(({ text }) => /of-late|long-ago/.exec(text)?.[0]),
      ['of-late'],
    );
  });

  it('shortens names, and writes them into comments only as code', () => {
    const content = { person: 'ada', achievement: hostile, repository: 'owner/engine', awardedAt: '' };
    assert.equal(
      commentText(content),
      '🏆 `ada` earned the achievement `` <!channel> @everyone <@U1> *b* [x](https://evil.example) `code` abc # big `` in `owner/engine`.',
    );
    for (const achievement of ['🏆'.repeat(500), '`'.repeat(500), '\\'.repeat(500), '*'.repeat(3000)]) {
      assert.ok(commentText({ ...content, achievement }).length < 1000);
    }
  });

  it('signs messages as Standard Webhooks require, with both secrets while one replaces the other', async () => {
    await using receiver = await startReceiver();
    await using outbox = await openOutbox([receiver.host]);
    const url = `${receiver.url}/hook`;
    await outbox.follow([{ name: 'hook', type: 'http', url, achievements: ['First', 'Second', 'Third'] }]);
    await outbox.award('First', 'ada');
    await outbox.work();
    assert.equal(receiver.heard.length, 0);
    assert.match((await outbox.rows())[0]?.error ?? '', /has no secret yet/);

    const save = (byte: number) =>
      inTransaction(outbox.context.connection, (transaction) =>
        saveWebhookSecret(transaction, {
          id: `00000000-0000-7000-8000-00000000000${byte}`,
          accountId: outbox.ownerId,
          url,
          receiver: toReceiver('github', 'http', { url }),
          secret: Buffer.alloc(32, byte),
          formerUntil: new Date(outbox.context.now().getTime() + 86_400_000),
          now: outbox.context.now(),
        }),
      );
    await save(1);
    // The job that the secret added.
    await send(outbox.context, toReceiver('github', 'http', { url }), AbortSignal.timeout(30_000));
    const [first] = receiver.heard;
    assert.ok(first !== undefined && isSigned(first, 1) && !isSigned(first, 2));
    const [row] = await outbox.rows();
    const awarded = outbox.context.now().toISOString().replace('.000', '');
    assert.equal(first.headers['webhook-id'], row?.id);
    assert.deepEqual(JSON.parse(first.text), {
      type: 'achievement.awarded',
      timestamp: awarded,
      data: {
        provider: 'github',
        person: 'ada',
        achievement: 'First',
        repository: 'owner/engine',
        awarded_dttm: awarded,
      },
    });

    await save(2);
    await outbox.award('Second', 'ada');
    await outbox.work();
    const second = receiver.heard[1] ?? assert.fail();
    assert.deepEqual([isSigned(second, 2), isSigned(second, 1)], [true, true]);
    outbox.advance(86_401);
    await outbox.award('Third', 'ada');
    await outbox.work();
    const third = receiver.heard[2] ?? assert.fail();
    assert.deepEqual([isSigned(third, 2), isSigned(third, 1)], [true, false]);
  });
});
