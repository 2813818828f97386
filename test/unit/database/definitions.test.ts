import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDefinitions } from '../../../src/database/schema/definitions.ts';

const noteItem = `create or replace function note_item(item items, sign integer) returns trigger language plpgsql as $$
begin
  -- Indented comments belong to a body.
  return null;
end $$;
`;
const itemsNoted = `create or replace trigger items_noted after insert or update of name, size on items
for each row execute function note_item();
`;

describe('definitions of functions and triggers', () => {
  it('names functions before triggers, each as DROP does', () => {
    assert.deepEqual(
      parseDefinitions(`-- A comment.\n\n${itemsNoted}\n-- Another.\n${noteItem}`).map(({ object }) => object),
      ['function note_item(item items, sign integer)', 'trigger items_noted on items'],
    );
  });

  it('have a hash that changes with a statement, not with comments around it', () => {
    const [definition] = parseDefinitions(noteItem);
    const [commented, next] = parseDefinitions(`-- A comment.\n${noteItem}\n-- Another.\n\n${itemsNoted}`);
    assert.equal(commented?.hash, definition?.hash);
    assert.notEqual(next?.hash, definition?.hash);
    assert.notEqual(parseDefinitions(noteItem.replace('null', 'new'))[0]?.hash, definition?.hash);
  });

  it('replace a constraint trigger, which has no statement for that', () => {
    const [definition] = parseDefinitions(itemsNoted.replace('or replace', 'constraint'));
    assert.equal(definition?.object, 'trigger items_noted on items');
    assert.match(
      definition?.statement ?? '',
      /^drop trigger if exists items_noted on items;\ncreate constraint trigger /,
    );
  });

  it('refuse other statements, and two of one name', () => {
    assert.throws(
      () => parseDefinitions('create table items ()'),
      /Neither a function nor a trigger: create table items/,
    );
    assert.throws(() => parseDefinitions(noteItem.replace('or replace ', '')), /Neither a function nor a trigger/);
    assert.throws(
      () => parseDefinitions(noteItem + noteItem.replace(', sign integer', '')),
      /Defined twice: function note_item/,
    );
  });
});
