package io.uniserve.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Metrics of a server. Thread-safe. */
final class ServerMetrics {
    private final MeterRegistry meters;
    private final Clock clock;

    ServerMetrics(MeterRegistry meters, Clock clock) {
        this.meters = meters;
        this.clock = clock;
    }

    void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(name, value).description(description).register(meters);
    }

    /** Registers a gauge for one state; gauges for other states have the same name. */
    void gauge(String name, String description, String state, Supplier<Number> value) {
        Gauge.builder(name, value).description(description).tag("state", state).register(meters);
    }

    /** Metrics of one kind of request: a timer of successes, and a counter of failures by error code. */
    RequestMetrics requestMetrics(String name) {
        return new RequestMetrics(name);
    }

    /** Timer and failure counter of one kind of request. */
    final class RequestMetrics {
        private final String name;
        private final Timer timer;

        private RequestMetrics(String name) {
            this.name = name;
            this.timer = Timer.builder("uniserve.server.requests")
                    .description("Requests answered, by kind")
                    .tag("kind", name)
                    .publishPercentileHistogram()
                    .minimumExpectedValue(Duration.ofNanos(100_000))
                    .maximumExpectedValue(Duration.ofMinutes(1))
                    .register(meters);
        }

        <T> Completion<T> timed(Completion<T> completion) {
            long start = clock.nanos();
            return outcome -> {
                if (outcome instanceof Outcome.Err<T> failed) {
                    failed(failed.error().code().name());
                } else {
                    timer.record(clock.nanos() - start, TimeUnit.NANOSECONDS);
                }
                completion.done(outcome);
            };
        }

        private void failed(String code) {
            Counter.builder("uniserve.server.failures")
                    .description("Requests failed, by kind and code")
                    .tag("kind", name)
                    .tag("code", code)
                    .register(meters)
                    .increment();
        }
    }
}
