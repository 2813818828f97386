import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { colourOfLanguage, countLanguages, languageOfPath } from '../../../src/contributions/languages/linguist.ts';

describe('assignment of paths to languages', () => {
  it('follows the longest known extension or the name, and counts members of a group as the group', () => {
    const expected = {
      'src/a.ts': 'TypeScript',
      'src/view.TSX': 'TypeScript',
      'include/list.h': 'C',
      'lib/net.pm': 'Perl',
      'views/page.blade.php': 'Blade',
      'views/page.html.erb': 'HTML',
      'run.v': 'Verilog',
      Dockerfile: 'Dockerfile',
      'tools/Makefile': 'Makefile',
      'sub/docs/a.py': 'Python',
    };
    for (const [path, language] of Object.entries(expected)) assert.equal(languageOfPath(path), language, path);
  });

  it('leaves out vendored, generated and documenting files, data, prose and unknown extensions', () => {
    const paths = [
      'vendor/x.go',
      'third_party/x.c',
      'node_modules/x/index.js',
      'dist/app.js',
      'jquery-3.7.1.js',
      'a.min.css',
      'types/a.d.ts',
      '.github/check.js',
      'Pods/x.swift',
      'Form.Designer.cs',
      'src/__generated__/query.ts',
      'docs/conf.py',
      'README.md',
      'package-lock.json',
      'schema.sql',
      'image.png',
      'no-extension',
      '.gitignore',
      '',
      `${'a/'.repeat(300)}a.ts`,
    ];
    assert.deepEqual(
      paths.filter((path) => languageOfPath(path) !== undefined),
      [],
    );
  });

  it('counts each file once', () => {
    const counted = countLanguages(['a.ts', 'b.ts', 'c.rs', 'vendor/d.rs', 'README.md']);
    assert.deepEqual(
      [...counted],
      [
        ['TypeScript', 2],
        ['Rust', 1],
      ],
    );
    assert.deepEqual([colourOfLanguage('TypeScript'), colourOfLanguage('?')], ['#3178c6', undefined]);
  });
});
