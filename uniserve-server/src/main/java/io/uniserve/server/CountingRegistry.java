package io.uniserve.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Registry;
import java.util.List;

/**
 * Registry decorator that counts this server's requests to ZooKeeper by kind: {@code read} (a value or the names of children),
 * {@code check} (a multi of checks only: leases, versions in doubt, strict reads), {@code write} (any other multi), {@code sync},
 * {@code watch}. Thread-safe if the wrapped registry is.
 */
final class CountingRegistry implements Registry {
    private final Registry delegate;
    private final Counter reads;
    private final Counter checks;
    private final Counter writes;
    private final Counter syncs;
    private final Counter watches;

    CountingRegistry(Registry registry, MeterRegistry meters) {
        this.delegate = registry;
        reads = counter(meters, "read");
        checks = counter(meters, "check");
        writes = counter(meters, "write");
        syncs = counter(meters, "sync");
        watches = counter(meters, "watch");
    }

    private static Counter counter(MeterRegistry meters, String kind) {
        return Counter.builder("uniserve.registry.calls")
                .description("Calls of ZooKeeper, by kind")
                .tag("kind", kind)
                .register(meters);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        reads.increment();
        delegate.read(path, completion);
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        reads.increment();
        delegate.children(path, completion);
    }

    @Override
    public void childrenOverNewConnection(String path, Completion<List<String>> completion) {
        reads.increment();
        delegate.childrenOverNewConnection(path, completion);
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        (ops.stream().allMatch(op -> op instanceof Op.Check) ? checks : writes).increment();
        delegate.multi(ops, completion);
    }

    @Override
    public void sync(Completion<Done> completion) {
        syncs.increment();
        delegate.sync(completion);
    }

    @Override
    public void watch(String path, Runnable changed) {
        watches.increment();
        delegate.watch(path, changed);
    }

    @Override
    public void unwatch(String path) {
        watches.increment();
        delegate.unwatch(path);
    }

    @Override
    public void onSession(SessionListener listener) {
        delegate.onSession(listener);
    }

    @Override
    public String describe() {
        return delegate.describe();
    }
}
