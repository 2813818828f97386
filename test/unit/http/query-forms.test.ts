import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDocumentedForms } from '../../../src/http/server/forms.ts';

describe('undocumented forms of parameters', () => {
  it('are read as the documented ones', () => {
    for (const [undocumented, read] of [
      [{ format: 'SVG' }, { format: 'svg' }],
      [{ format: 'svg,private=true' }, { format: 'svg', private: 'true' }],
      [{ format: 'PNG, limit=5 ,raw=true' }, { format: 'png', limit: '5', raw: 'true' }],
      [
        { style: 'raw', format: 'svg' },
        { style: 'raw', raw: 'true', format: 'svg' },
      ],
      [{ style: 'bold' }, { style: 'bold' }],
      [{ v: '3' }, { v: '3' }],
    ] as const) {
      assert.deepEqual(withDocumentedForms(undocumented), read);
    }
  });

  it('leave the documented form of a parameter in force', () => {
    assert.deepEqual(withDocumentedForms({ format: 'svg,limit=5', limit: '7' }), { format: 'svg', limit: '7' });
    assert.deepEqual(withDocumentedForms({ style: 'raw', raw: 'false' }), { style: 'raw', raw: 'false' });
  });

  it('stay as they are where they are no parameters, so that the error shows them', () => {
    assert.deepEqual(withDocumentedForms({ format: 'svg,png' }), { format: 'svg,png' });
    assert.deepEqual(withDocumentedForms({ format: ['json', 'xml'] }), { format: ['json', 'xml'] });
  });

  it('are an image where one of several formats is, and other differing values stay', () => {
    const repeated = { format: ['json', 'png'], theme: ['dark', 'dark'], width: ['300', '400'] };
    assert.deepEqual(withDocumentedForms(repeated), { format: 'png', theme: 'dark', width: ['300', '400'] });
  });
});
