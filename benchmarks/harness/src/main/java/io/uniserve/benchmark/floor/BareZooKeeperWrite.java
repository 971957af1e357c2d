package io.uniserve.benchmark.floor;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Floor of a ZooKeeper write: compare-and-set of one small node, one after the other. For one thread. */
public final class BareZooKeeperWrite implements AutoCloseable {
    private final String path;
    private final EventLoop loop;
    private final CuratorRegistry registry;
    private int version;

    /** @param node a name that is unique per bench */
    public BareZooKeeperWrite(String zooKeeper, String node) {
        path = "/bench/" + node;
        loop = new EventLoop("bench-registry", SystemClock.INSTANCE, BareZooKeeperWrite::failed);
        registry = new CuratorRegistry(RegistryOptions.of(zooKeeper, "bench-floor"), loop);
        multi(new Op.Create(path, TransactionLogState.empty(1), false));
    }

    private static void failed(Throwable cause) {
        throw new UniserveException(ErrorCode.INTERNAL, "the bench's loop failed", cause);
    }

    public void write() {
        version = multi(new Op.Set(path, TransactionLogState.empty(1), version))
                .versions()
                .get(0);
    }

    private MultiResult multi(Op op) {
        CompletableFuture<Outcome<MultiResult>> done = new CompletableFuture<>();
        registry.multi(List.of(op), done::complete);
        if (done.join() instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
            return ok.value();
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "a write to ZooKeeper failed");
    }

    @Override
    public void close() {
        registry.close();
        loop.close();
    }
}
