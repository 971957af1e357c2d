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

/** What a server tells of itself. Safe for use by several threads. */
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

    /** Requests of one kind: time of those answered, number of those failed by code. */
    Kind kind(String name) {
        return new Kind(name);
    }

    /** Times requests of one kind. */
    final class Kind {
        private final String name;
        private final Timer timer;

        private Kind(String name) {
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
