import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { at, readYaml, yamlFiles } from './files.ts';

/** The kinds of the manifests, with the schemas of Kubernetes. They know which members there are. */
const kinds: Record<string, new (data: never) => { validate(): void }> = {
  Deployment,
  Ingress,
  PodDisruptionBudget,
  Secret,
  Service,
};

describe('manifests for Kubernetes', () => {
  it('fit the schemas of Kubernetes', () => {
    const manifests = [yamlFiles.kubernetes, yamlFiles.secret].flatMap(readYaml);
    assert.equal(manifests.length, 5);
    for (const manifest of manifests) {
      const kind = kinds[String(at(manifest, 'kind')[0])] ?? assert.fail(JSON.stringify(manifest));
      new kind(manifest as never).validate();
    }
  });

  it('are refused by these schemas with a wrong member', () => {
    const [deployment] = readYaml(yamlFiles.kubernetes);
    const wrong = JSON.parse(
      JSON.stringify(deployment).replace('"containerPort":8080', '"containerPort":"http"'),
    ) as never;
    assert.throws(() => new Deployment(wrong).validate(), /containerPort/);
  });

  it('take the image of the base, which a release names by its digest', () => {
    const [base] = readYaml('deploy/kubernetes/kustomization.yaml');
    const [deployment] = readYaml(yamlFiles.kubernetes);
    assert.deepEqual(
      at(base, 'images', '*', 'name'),
      at(deployment, 'spec', 'template', 'spec', 'containers', '*', 'image'),
    );
    assert.deepEqual(at(base, 'resources', '*'), ['plaudit.yaml']);
  });
});
