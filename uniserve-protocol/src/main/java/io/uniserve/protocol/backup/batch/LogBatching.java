package io.uniserve.protocol.backup.batch;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import java.util.Optional;
import java.util.function.Function;

/** Batches of log runs in a server whose requests to durable storage cost; nothing in other servers. */
public final class LogBatching {
    private final Environment env;
    private final ReplicaConfig config;
    private Optional<LogBatchSweeper> sweeper = Optional.empty();

    /** @param world environment with the store that has the batches */
    public LogBatching(Environment world, ReplicaConfig config) {
        this.config = config;
        boolean isUsed = world.objects().isPricedPerRequest() && config.shippingNanos() > 0;
        env = isUsed
                ? world.with(world.registry(), new LogBatchStore(world, config.clusterId(), config.shippingNanos()))
                : world;
    }

    /** The environment, with the store that puts runs into batches. */
    public Environment env() {
        return env;
    }

    /** Starts to replace batches by longer runs. */
    public void start(Function<ReplicaKey, LogRunNeeds.Actor> actors) {
        if (env.objects() instanceof LogBatchStore store) {
            LogRunNeeds needs = new LogRunNeeds(env, config.clusterId(), actors);
            LogBatchSweeper made = new LogBatchSweeper(env, store, needs, config.clusterId(), config.shippingNanos());
            made.start();
            sweeper = Optional.of(made);
        }
    }

    /** Stops the replacement. */
    public void stop() {
        sweeper.ifPresent(LogBatchSweeper::stop);
    }
}
