import { gitId } from '../../git/git-id.ts';
import type { Repository } from '../../world/model.ts';
import type { ResponseContext } from './accounts.ts';
import { listAddresses } from './addresses.ts';

/** Returns a file of the default branch, undefined when there is none. */
export function contentFile(context: ResponseContext, repository: Repository, path: string): object | undefined {
  const text = repository.files.get(path);
  if (text === undefined || repository.commits.length === 0) return undefined;
  const { url, page } = listAddresses(context, repository);
  const content = Buffer.from(text);
  const sha = gitId('blob', content);
  const self = `${url}/contents/${path}?ref=${repository.defaultBranch}`;
  const gitUrl = `${url}/git/blobs/${sha}`;
  const htmlUrl = `${page}/blob/${repository.defaultBranch}/${path}`;
  return {
    type: 'file',
    name: path.split('/').at(-1),
    path,
    sha,
    size: content.length,
    encoding: 'base64',
    // GitHub writes base64 in lines of 60 characters.
    content: content.toString('base64').replace(/.{60}/g, '$&\n'),
    url: self,
    git_url: gitUrl,
    html_url: htmlUrl,
    download_url: null,
    _links: { self, git: gitUrl, html: htmlUrl },
  };
}
