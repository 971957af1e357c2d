package io.uniserve.testkit.tck;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.model.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the kit must know of a port: its engine, a table, rows that fit it, and queries to compare. */
public interface PortFixture {
    /** A new engine object. */
    Engine engine();

    /** A table the engine accepts. */
    TableMeta meta();

    /** The port's settings in a server's configuration. */
    default Map<String, String> settings() {
        return Map.of();
    }

    /** {@code name@version} of an update that stores documents by key, replacing those with the same key. */
    String upsert();

    /** Row number {@code i}; rows of different numbers have different keys. */
    Document row(int i);

    /** Another row with the key of row {@code i}. */
    Document changedRow(int i);

    /** A row with a key and a text beyond ASCII: accents, CJK, an emoji, quotes, a line break. */
    Document unicodeRow();

    /** Rows that {@code validate} must refuse with INVALID_ROW; at least one, which lacks its key. */
    List<Document> invalidRows();

    /** Queries whose answers tell the contents apart; at least one counts all rows. */
    List<Probe<?, ?>> probes();

    /**
     * Queries in the port's own language whose answers do not depend on how rows are spread over actors, some of several rounds
     * where the language has such. None for a port without a planner.
     */
    default List<String> queries() {
        return List.of();
    }

    /**
     * A row with this key, equal in all else to those of other keys: no query orders such rows but by key. Empty for a port with
     * other keys than texts.
     */
    default Optional<Document> tiedRow(String key) {
        return Optional.empty();
    }

    /**
     * Queries over thirty rows that take minutes or more, such as an expression that tries a text in every way, or facets in facets: each
     * has to end when it is cancelled. None where the port has no such queries, or its engine cannot be stopped.
     */
    default List<Probe<?, ?>> endless() {
        return List.of();
    }
}
