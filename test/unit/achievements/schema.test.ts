import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { corpusFile, fileWith, readText } from './reported.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/achievements.schema.json', import.meta.url), 'utf8'),
) as object;
const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);
const star = '{ actor: author, action: star, condition: starred = true }';

describe('the JSON schema of achievements files', () => {
  it('accepts files of public repositories', () => {
    const names = [
      'VauntDev__docs',
      'VauntDev__example',
      'VauntDev__tqla',
      'daytonaio__content',
      'nexu-io__nexu',
      'serverpod__serverpod',
    ];
    for (const name of names)
      assert.ok(isValid(parse(corpusFile(name).toString())), `${name}: ${JSON.stringify(isValid.errors)}`);
  });

  it('rejects exactly the files that the reader rejects for their shape', () => {
    const files = [
      fileWith(star),
      fileWith(star).replace('Hero', '2024'),
      fileWith(star, '      type: once\n      metadata: { date: 01-19-2024 }\n'),
      fileWith(star.replace('author', 'authr')),
      fileWith(star.replace('star,', 'stars,')),
      fileWith(star.replace('condition', 'cond')),
      fileWith(star, '      typ: once\n'),
      fileWith(star).replace('name: Hero', 'icon: a.png'),
      'achievements: {}',
      'achievements: []\nactions: [ { action: { type: point, name: p, triggers: [] } } ]',
      `achievements: []\nactions: [ { action: { type: point, name: p, triggers: [ { trigger: ${star.replace(' }', ', value: 5 }')} } ] } } ]`,
    ];
    for (const file of files) {
      const isRead = readText(file).reports.every(({ severity }) => severity !== 'error');
      assert.equal(isValid(parse(file)), isRead, file);
    }
  });
});
