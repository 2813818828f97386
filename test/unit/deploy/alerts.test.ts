import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, read, readYaml, yamlFiles } from './files.ts';

describe('alerts', () => {
  const rules = at(readYaml(yamlFiles.alerts)[0], 'groups', '*', 'rules', '*');
  const names = rules.flatMap((rule) => at(rule, 'alert').map(String));

  it('have one entry of the runbook each, in the same order', () => {
    const entries = [...read('docs/runbook.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    assert.ok(names.length > 20);
    assert.deepEqual(entries, names);
  });

  it('have a severity and a summary', () => {
    for (const rule of rules) {
      const name = String(at(rule, 'alert')[0]);
      assert.match(String(at(rule, 'labels', 'severity')[0]), /^(?:critical|warning)$/, name);
      assert.ok(String(at(rule, 'annotations', 'summary')[0]).length > 10, name);
    }
  });

  it('are loaded by the configuration of Prometheus', () => {
    assert.deepEqual(at(readYaml(yamlFiles.prometheus)[0], 'rule_files', '*'), ['alerts.yaml']);
  });

  it('are referred to in the runbook by names that exist', () => {
    const named = [...read('docs/runbook.md').matchAll(/\bPlaudit[A-Z]\w+/g)].map(([name]) => name);
    assert.deepEqual(
      named.filter((name) => !names.includes(name)),
      [],
    );
  });
});
