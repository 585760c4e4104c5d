/** Settings of health checks and metrics: a part of `SETTINGS`. */
import { boolean, integer, type Setting } from './setting-kinds.ts'

export const OPERATION_SETTINGS = {
  stopDelaySeconds: integer(
    'STOP_DELAY_SECONDS',
    0,
    // Less than the time after which processes that do not end are killed (processes/supervisor.ts).
    [0, 60],
    'Seconds that the server goes on serving after SIGTERM, while `GET /api/v1/health/ready` answers 503, so that a balancer can stop sending requests first.',
  ),
  metricsEnabled: boolean('METRICS', false, 'Serve metrics for Prometheus at `/metrics`.'),
  metricsToken: {
    name: 'METRICS_TOKEN',
    about: 'Bearer token that `/metrics` requires. Without it, anybody who reaches the server can read the metrics.',
    expected: 'at least 16 characters without blanks',
    fallback: null,
    secret: true,
    read: given => (/^\S{16,}$/.test(given) ? given : undefined),
  } as Setting<string | null>,
}
