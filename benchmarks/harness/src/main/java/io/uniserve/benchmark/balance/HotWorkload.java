package io.uniserve.benchmark.balance;

import io.uniserve.client.UniserveClient;
import java.util.Optional;

/** Queries of single parts of a table, each part on the actor of the same number. Queries are thread-safe. */
public interface HotWorkload {
    /** Name of the table. */
    String table();

    /** Describes rows and query for the output. */
    String description();

    /** Creates the table and loads its rows. They are acknowledged and visible on return. */
    void load(UniserveClient client);

    /** Number of parts, at least 2. */
    int parts();

    /** Number of the part that most queries ask. */
    default int hotPart() {
        return 0;
    }

    /** Asks a part and compares the answer with the rows. Returns the difference, or empty if the answer is right. */
    Optional<String> query(UniserveClient client, int part, long n);
}
