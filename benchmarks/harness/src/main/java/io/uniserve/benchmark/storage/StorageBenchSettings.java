package io.uniserve.benchmark.storage;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of {@code bench storage}.
 *
 * @param parts parts to run
 * @param stores kinds of store: {@code directory}, {@code versitygw}
 * @param gateway program of versitygw; empty if this machine has none, and its rows are skipped
 * @param servers servers of a cluster
 * @param mebibytes rows of the tables that are backed up and restored, in MiB
 * @param actors actors of the table of idle and steady measurements
 * @param updatesPerSecond rate of the steady stream
 * @param steadySeconds length of the steady stream
 * @param settleSeconds time without updates before the idle measurement
 * @param idleSeconds length of the measurement without updates
 * @param remoteUpdates acknowledged updates with durability REMOTE
 * @param runs runs of clusters beside each other
 * @param failShare share of failing requests
 * @param brief true for daemons that start sooner but stay slow
 */
record StorageBenchSettings(
        Set<StorageBenchPart> parts,
        List<String> stores,
        Optional<Path> gateway,
        int servers,
        int mebibytes,
        int actors,
        int updatesPerSecond,
        double steadySeconds,
        double settleSeconds,
        double idleSeconds,
        int remoteUpdates,
        int runs,
        double failShare,
        boolean brief) {
    /** Memory of the rows of a server and of their copies, per byte of rows. */
    private static final int HEAP_PER_ROW_BYTE = 6;

    private static final int HEAP_MIB_MIN = 384;

    StorageBenchSettings {
        parts = Set.copyOf(parts);
        stores = List.copyOf(stores);
    }

    boolean has(StorageBenchPart part) {
        return parts.contains(part);
    }

    /** Returns the heap option of a server: it has rows of the backed-up table and of the restored one. */
    String heap() {
        return "-Xmx" + (HEAP_MIB_MIN + (long) HEAP_PER_ROW_BYTE * mebibytes / servers) + "m";
    }

    /** Returns the number of actors of the tables that are backed up, of 16 MiB or more. */
    int bulkActors() {
        return Math.max(2, Math.min(16, mebibytes / 16));
    }
}
