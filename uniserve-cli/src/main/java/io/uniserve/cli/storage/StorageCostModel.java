package io.uniserve.cli.storage;

import io.uniserve.limit.Limits;

/**
 * Formulae of the monthly cost of durable storage in a bucket. Requests follow from what servers do with the default settings: an
 * object with runs of many actors' logs per server and period of {@code server.log-shipping}, its replacement by longer runs of one actor
 * each, and checkpoints. Stateless.
 */
final class StorageCostModel {
    /** Hours of a month on average, as AWS calculates. */
    static final double HOURS_PER_MONTH = 730;

    private static final double SECONDS_PER_MONTH = HOURS_PER_MONTH * 3_600;
    private static final double BYTES_PER_GB = 1L << 30;
    /** Defaults of {@code server.checkpoint-entries} and {@code server.checkpoint-bytes}. */
    private static final double CHECKPOINT_ENTRIES = 20_000;

    private static final double CHECKPOINT_BYTES = 64L << 20;
    /** A checkpoint is stored after log of this part of its size. */
    private static final double CHECKPOINT_LOG_SHARE = 4;

    private static final double LISTS_PER_CHECKPOINT = 2;
    private static final double OWNER_READS_PER_HOUR = 60;
    private static final double BATCH_LISTS_PER_HOUR = 3;
    /** Runs that an object's key has room for, about. */
    private static final double RUNS_PER_BATCH = 40;

    private static final double BATCH_BYTES = 4 << 20;
    /** Periods of log shipping after which runs are merged. */
    private static final double MERGE_PERIODS = 240;

    private StorageCostModel() {}

    /**
     * Prices in one currency.
     *
     * @param gbMonth of 2^30 bytes for a month
     * @param put1000 of 1,000 PUT, COPY, POST or LIST requests
     * @param get1000 of 1,000 GET and all other requests; deletions are free
     */
    record Prices(double gbMonth, double put1000, double get1000) {}

    /**
     * Steady load.
     *
     * @param updatesPerSecond updates of one row each, spread evenly over the actors
     * @param actors at least 1
     * @param rowBytes bytes of an update in the log
     * @param shippingSeconds period of {@code server.log-shipping}
     * @param remote true for tables with durability REMOTE: each update is shipped at once
     * @param checkpointBytes bytes of an actor's checkpoint
     */
    record Workload(
            double updatesPerSecond,
            int actors,
            int servers,
            double rowBytes,
            double shippingSeconds,
            boolean remote,
            double checkpointBytes) {}

    /**
     * Requests of a month.
     *
     * @param logPuts puts of the log
     * @param checkpointPuts puts of checkpoints and their manifests
     * @param lists pages of listings
     * @param gets other requests, without restorations
     */
    record MonthlyRequests(double logPuts, double checkpointPuts, double lists, double gets) {
        /** Returns the price of these requests. */
        double price(Prices prices) {
            return (logPuts + checkpointPuts + lists) * prices.put1000() / 1_000 + gets * prices.get1000() / 1_000;
        }
    }

    /** Returns counted requests of some hours, scaled to a month. Counted puts are not told apart. */
    static MonthlyRequests counted(double puts, double lists, double gets, double hours) {
        double scale = HOURS_PER_MONTH / hours;
        return new MonthlyRequests(puts * scale, 0, lists * scale, gets * scale);
    }

    /** Returns estimated requests of a steady load. */
    static MonthlyRequests estimate(Workload load) {
        double entries = load.updatesPerSecond() / load.actors();
        if (entries <= 0) {
            return new MonthlyRequests(0, 0, 0, 0);
        }
        double runs = runsPerSecond(entries, load);
        double interval = checkpointSeconds(entries, runs, load);
        double checkpoints = load.actors() * SECONDS_PER_MONTH / interval;
        double chunks = Math.max(1, Math.ceil(load.checkpointBytes() / Limits.BACKUP_CHUNK_BYTES));
        double ownerReads = load.servers() * OWNER_READS_PER_HOUR * HOURS_PER_MONTH + checkpoints;
        double batches = load.remote() ? 0 : batchesPerSecond(runs, entries, load) * SECONDS_PER_MONTH;
        double merged = load.remote() ? runs : Math.min(runs, 1 / (MERGE_PERIODS * load.shippingSeconds()));
        return new MonthlyRequests(
                batches + load.actors() * merged * SECONDS_PER_MONTH,
                checkpoints * (chunks + 1),
                checkpoints * LISTS_PER_CHECKPOINT + load.servers() * BATCH_LISTS_PER_HOUR * HOURS_PER_MONTH,
                ownerReads + batches);
    }

    /** Objects with runs of several logs per second, of all servers. */
    private static double batchesPerSecond(double runs, double entries, Workload load) {
        double actors = (double) load.actors() / load.servers();
        double periodic = (1 - Math.exp(-actors * entries * load.shippingSeconds())) / load.shippingSeconds();
        double full = Math.max(actors * runs / RUNS_PER_BATCH, actors * entries * load.rowBytes() / BATCH_BYTES);
        return load.servers() * Math.max(periodic, full);
    }

    /**
     * Runs of the log per second and actor. With random arrivals, 1 - e^-n of the periods have at least one of n expected entries. A run
     * has a bounded number of entries and bytes. With durability REMOTE each update may need its own run.
     */
    private static double runsPerSecond(double entries, Workload load) {
        double periodic =
                load.remote() ? entries : (1 - Math.exp(-entries * load.shippingSeconds())) / load.shippingSeconds();
        double full = Math.max(
                entries / Limits.REPLICATE_ENTRIES_MAX, entries * load.rowBytes() / Limits.REPLICATE_BYTES_MAX);
        return Math.max(periodic, full);
    }

    /** Seconds between two checkpoints of an actor in storage. */
    private static double checkpointSeconds(double entries, double runs, Workload load) {
        double logBytes = entries * load.rowBytes();
        double local = Math.min(CHECKPOINT_ENTRIES / entries, CHECKPOINT_BYTES / logBytes);
        double grown = load.checkpointBytes() / CHECKPOINT_LOG_SHARE / logBytes;
        return Math.min(Math.max(local, grown), Limits.BACKUP_LOG_OBJECTS_MAX / runs);
    }

    /** Returns the GB of these bytes, as they are billed. */
    static double gigabytes(long bytes) {
        return bytes / BYTES_PER_GB;
    }
}
