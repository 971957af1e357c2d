package io.uniserve.benchmark.storage;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Part of {@code bench storage}, in the order in which they run. */
enum StorageBenchPart {
    /** Bytes, requests and time of a named backup. */
    BACKUP,
    /** Bytes, requests and time of a restored table. */
    RESTORE,
    /** Requests of a cluster without updates. */
    IDLE,
    /** Requests under a steady stream of updates. */
    STEADY,
    /** Acknowledgement of updates with durability REMOTE. */
    REMOTE,
    /** A backup while a share of the requests fails. */
    FAILURES,
    /** Clusters beside each other in one bucket. */
    TWO_CLUSTERS,
    /** A destroyed cluster that is made anew from its store. */
    REBIRTH;

    /** Returns the name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<StorageBenchPart> of(String word) {
        return Arrays.stream(values()).filter(part -> part.word().equals(word)).findFirst();
    }
}
