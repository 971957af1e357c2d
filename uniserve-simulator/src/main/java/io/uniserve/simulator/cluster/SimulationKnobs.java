package io.uniserve.simulator.cluster;

import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.simulator.kernel.Prng;

/**
 * Settings that make rare events frequent, such as small log segments and frequent checkpoints.
 *
 * @param segmentBytes size at which a log segment is full
 * @param cacheBytes bytes of recent entries kept in memory
 * @param checkpointEntries entries between two checkpoints
 * @param shippingNanos interval of log shipping, 0 for no durable storage
 * @param statesMax old states of an atomic table's actor that engines keep
 * @param retainBytes newest bytes of the log that log truncation keeps
 * @param learnerLagMax entries a learner may lag when the primary starts to wait for it
 */
record SimulationKnobs(
        int segmentBytes,
        long cacheBytes,
        long checkpointEntries,
        long shippingNanos,
        long learnerLagMax,
        int statesMax,
        long retainBytes) {
    private static final long SECOND = 1_000_000_000L;
    /** One more than in production: in such small clusters every server then detects the failure of every other one. */
    private static final int PING_TARGETS = 3;

    private static final long ENGINE_TIMEOUT_NANOS = 10 * SECOND;

    /** @param isPriced true if logs of several actors share objects. The period is shorter then, so that these objects are replaced in time. */
    static SimulationKnobs draw(Prng random, boolean isPriced) {
        return new SimulationKnobs(
                random.between(500, 20_000),
                random.between(200, 100_000),
                random.between(5, 200),
                random.below(3) == 0 ? 0 : isPriced ? SECOND / 10 : SECOND,
                random.below(2) == 0 ? 1 : 1_000,
                random.below(2) == 0 ? 1 : 8,
                random.below(3) == 0 ? 0 : random.between(500, 20_000));
    }

    /** Limits of exchanges, with little memory, small chunks and small replies, so that plans wait, write files and send many requests. */
    static ExchangeLimits exchange(Prng random) {
        int piece = random.between(200, 4_000);
        int memory = random.between(500, 20_000);
        int all = random.between(2_000, 40_000);
        // Some seeds reject plans for their size, and have full files for a while.
        long spill = random.below(4) == 0 ? random.between(1_000, 20_000) : 1L << 30;
        return new ExchangeLimits(
                memory,
                all,
                spill,
                4 * spill,
                piece * random.between(2, 8),
                piece,
                random.between(SECOND, 5 * SECOND),
                3);
    }

    /** Settings of a long run: logs and checkpoints are replaced several times an hour. */
    static SimulationKnobs calm() {
        return new SimulationKnobs(4_000, 8_000, 40, SECOND, 1_000, 8, 8_000);
    }

    /**
     * The settings of a server.
     *
     * @param unfenced planted bug: primaries do not wait until the leases of removed replicas have ended
     * @param scrubNanos interval of comparisons of replicas, 0 for never
     */
    ServerConfig apply(ServerConfig base, boolean unfenced, long scrubNanos) {
        ReplicaConfig replicas = base.replicas();
        ReplicaConfig drawn = new ReplicaConfig(
                replicas.clusterId(),
                new LogOptions(segmentBytes, cacheBytes, replicas.log().bytesMax(), retainBytes, 2L * cacheBytes),
                replicas.leaseNanos(),
                unfenced ? -1 : replicas.drift(),
                replicas.replicateTimeoutNanos(),
                replicas.retryNanos(),
                ENGINE_TIMEOUT_NANOS,
                replicas.learnerTimeoutNanos(),
                learnerLagMax,
                checkpointEntries,
                replicas.checkpointBytes(),
                shippingNanos);
        return new ServerConfig(
                base.id(),
                base.incarnation(),
                base.address(),
                base.zone(),
                base.capacity(),
                base.ports(),
                drawn,
                base.tickNanos(),
                base.pingNanos(),
                PING_TARGETS,
                base.rpcTimeoutNanos(),
                base.drainTimeoutNanos(),
                base.takeOverStore(),
                base.trash(),
                scrubNanos,
                base.closed());
    }
}
