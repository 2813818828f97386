import { setTimeout as wait } from 'node:timers/promises';
import manifest from '../../../package.json' with { type: 'json' };

/** The longest wait, in ms, at a stop for the receiver of spans. */
const flushWithinMs = 500;
/** The time, in ms, for one export with its repetitions, which keep a process that stops alive. */
const exportWithinMs = 1000;

/** Returns whether the environment names a receiver of spans. */
function isTracingWanted(environment: Readonly<Record<string, string | undefined>>): boolean {
  const {
    OTEL_SDK_DISABLED: disabled = '',
    OTEL_EXPORTER_OTLP_ENDPOINT: all,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces,
  } = environment;
  return disabled.toLowerCase() !== 'true' && Boolean(traces ?? all);
}

/**
 * Exports spans by OpenTelemetry's SDK when its variables name a receiver; the SDK reads them itself, of this process. Nothing
 * of it is loaded otherwise.
 * @returns a function that exports the rest of the spans, within a bounded time.
 */
export async function startTracing(environment = process.env): Promise<() => Promise<void>> {
  if (!isTracingWanted(environment)) return async () => {};
  const { context, propagation, trace, sdk, resources, OTLPTraceExporter, hooks, W3CTraceContextPropagator } =
    await loadPackages();
  const own = resources.resourceFromAttributes({ 'service.name': manifest.name, 'service.version': manifest.version });
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(own).merge(named),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(readRatio(environment)) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ timeoutMillis: exportWithinMs }),
        exportTimeoutMillis: exportWithinMs,
      }),
    ],
  });
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    await Promise.race([provider.shutdown().catch(() => {}), wait(flushWithinMs, undefined, { ref: false })]);
  };
}

/** Loads packages that only tracing needs; the package leaves their installation to operators who trace. */
async function loadPackages() {
  try {
    const [
      { context, propagation, trace },
      sdk,
      resources,
      { OTLPTraceExporter },
      hooks,
      { W3CTraceContextPropagator },
    ] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
    ]);
    return { context, propagation, trace, sdk, resources, OTLPTraceExporter, hooks, W3CTraceContextPropagator };
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    const names = Object.keys(manifest.peerDependencies).join(' ');
    throw new Error(
      `tracing needs packages that are not installed: run "npm install ${names}", or unset OTEL_EXPORTER_*`,
      { cause },
    );
  }
}

/** Returns the share of traces that begin here and are exported. */
function readRatio({ OTEL_TRACES_SAMPLER_ARG: text = '1' }: Readonly<Record<string, string | undefined>>): number {
  const ratio = Number(text);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
