/** Variables that other systems set for the processes that they start, with their values where a value matters. */

/** https://docs.github.com/en/actions/reference/workflows-and-actions/variables, and variables of its runner. */
const gitHubActions = `
  CI GITHUB_ACTION GITHUB_ACTION_PATH GITHUB_ACTION_REF GITHUB_ACTION_REPOSITORY GITHUB_ACTIONS GITHUB_ACTOR
  GITHUB_ACTOR_ID GITHUB_BASE_REF GITHUB_ENV GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_GRAPHQL_URL GITHUB_HEAD_REF
  GITHUB_JOB GITHUB_OUTPUT GITHUB_PATH GITHUB_REF GITHUB_REF_NAME GITHUB_REF_PROTECTED GITHUB_REF_TYPE
  GITHUB_REPOSITORY GITHUB_REPOSITORY_ID GITHUB_REPOSITORY_OWNER GITHUB_REPOSITORY_OWNER_ID GITHUB_RETENTION_DAYS
  GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER GITHUB_SERVER_URL GITHUB_SHA GITHUB_STATE GITHUB_STEP_SUMMARY
  GITHUB_TRIGGERING_ACTOR GITHUB_WORKFLOW GITHUB_WORKFLOW_REF GITHUB_WORKFLOW_SHA GITHUB_WORKSPACE RUNNER_ARCH
  RUNNER_DEBUG RUNNER_ENVIRONMENT RUNNER_NAME RUNNER_OS RUNNER_TEMP RUNNER_TOOL_CACHE RUNNER_WORKSPACE
  ACTIONS_CACHE_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL ACTIONS_RUNTIME_TOKEN
  ACTIONS_RUNTIME_URL`;

/** The variables that act_runner adds for Gitea and Forgejo to those of GitHub Actions. */
const giteaActions = `
  GITEA_ACTIONS GITEA_ACTIONS_RUNNER_VERSION GITEA_RUNNER_TOKEN FORGEJO_ACTIONS FORGEJO_ACTIONS_RUNNER_VERSION
  FORGEJO_TOKEN`;

/** https://docs.gitlab.com/ci/variables/predefined_variables */
const gitLabCi = `
  CHAT_CHANNEL CHAT_INPUT CHAT_USER_ID CI CI_API_GRAPHQL_URL CI_API_V4_URL CI_BUILDS_DIR CI_COMMIT_AUTHOR
  CI_COMMIT_BEFORE_SHA CI_COMMIT_BRANCH CI_COMMIT_DESCRIPTION CI_COMMIT_MESSAGE CI_COMMIT_REF_NAME CI_COMMIT_REF_SLUG
  CI_COMMIT_SHA CI_COMMIT_SHORT_SHA CI_COMMIT_TAG CI_COMMIT_TIMESTAMP CI_COMMIT_TITLE CI_CONFIG_PATH
  CI_DEFAULT_BRANCH CI_DEPLOY_PASSWORD CI_DEPLOY_USER CI_ENVIRONMENT_NAME CI_ENVIRONMENT_URL CI_JOB_ID CI_JOB_NAME
  CI_JOB_STAGE CI_JOB_TOKEN CI_JOB_URL CI_NODE_TOTAL CI_PAGES_URL CI_PIPELINE_ID CI_PIPELINE_URL CI_PROJECT_DIR
  CI_PROJECT_ID CI_PROJECT_NAME CI_PROJECT_NAMESPACE CI_PROJECT_PATH CI_PROJECT_URL CI_REGISTRY CI_REGISTRY_PASSWORD
  CI_REGISTRY_USER CI_REPOSITORY_URL CI_RUNNER_ID CI_RUNNER_TAGS CI_SERVER CI_SERVER_HOST CI_SERVER_PORT CI_SERVER_URL
  CI_SERVER_VERSION GITLAB_CI GITLAB_FEATURES GITLAB_USER_EMAIL GITLAB_USER_ID GITLAB_USER_LOGIN GITLAB_USER_NAME
  HARBOR_HOST HARBOR_PROJECT HARBOR_URL KUBECONFIG TRIGGER_PAYLOAD`;

/** https://docs.github.com/en/codespaces/developing-in-a-codespace, and variables seen in a codespace. */
const codespaces = `
  CODESPACE_NAME CODESPACES CODESPACE_VSCODE_FOLDER GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME
  GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN GITHUB_CODESPACE_TOKEN GITHUB_GRAPHQL_URL GITHUB_REPOSITORY
  GITHUB_SERVER_URL GITHUB_USER INTERNAL_VSCS_TARGET_URL`;

/** Variables that operators set for other programs on the same machine. */
const machine = `
  PATH HOME HOSTNAME LANG LOGNAME PWD SHELL USER NODE_ENV LOG_DIR LOG_FILE DATA_HOME DATABASE_HOST DATABASE_NAME
  DATABASE_PASSWORD DATABASE_USER GITHUB_ORG GITHUB_REPO GITLAB_GROUP GITLAB_HOME GITEA_CUSTOM GITEA_WORK_DIR
  PLAUDIT_IMAGE PLAUDIT_VERSION`;

function named(names: string): Record<string, string> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'x']),
  );
}

/**
 * The variables that Kubernetes sets for each service of the namespace
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
function serviceLinks(service: string): Record<string, string> {
  const link = `${service}_PORT_8080_TCP`;
  return {
    [`${service}_SERVICE_HOST`]: '10.0.0.11',
    [`${service}_SERVICE_PORT`]: '8080',
    [`${service}_SERVICE_PORT_HTTP`]: '8080',
    [`${service}_PORT`]: 'tcp://10.0.0.11:8080',
    [link]: 'tcp://10.0.0.11:8080',
    [`${link}_PROTO`]: 'tcp',
    [`${link}_PORT`]: '8080',
    [`${link}_ADDR`]: '10.0.0.11',
  };
}

const services = [
  'KUBERNETES',
  'GITHUB',
  'GITLAB',
  'GITEA',
  'PLAUDIT',
  'METRICS',
  'DATABASE',
  'DATABASE_URL',
  'PUBLIC',
];

export const environments: Record<string, Record<string, string>> = {
  'GitHub Actions': { ...named(gitHubActions), GITHUB_API_URL: 'https://api.github.com' },
  'Gitea Actions': { ...named(gitHubActions + giteaActions), GITHUB_API_URL: 'https://git.example/api/v1' },
  'GitLab CI': named(gitLabCi),
  Codespaces: { ...named(codespaces), GITHUB_TOKEN: 'ghu_a', GITHUB_API_URL: 'https://api.github.com' },
  Kubernetes: Object.assign({}, ...services.map(serviceLinks)) as Record<string, string>,
  'a machine': named(machine),
};
