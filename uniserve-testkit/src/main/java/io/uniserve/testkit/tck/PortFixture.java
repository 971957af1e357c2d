package io.uniserve.testkit.tck;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineInstance;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Fixture of a port for the test kit: its engine, a table, rows that fit it, and queries to compare. */
public interface PortFixture {
    /** A new engine object. */
    Engine engine();

    /** A table that the engine accepts. */
    TableMeta meta();

    /** The port's settings in a server's configuration. */
    default Map<String, String> settings() {
        return Map.of();
    }

    /** {@code name@version} of an update function that stores documents by key, and replaces those with the same key. */
    String upsert();

    /** Row number {@code i}. Rows of different numbers have different keys. */
    Document row(int i);

    /** Another row with the key of row {@code i}. */
    Document changedRow(int i);

    /** Row with a key and a text beyond ASCII: accents, CJK, an emoji, quotes, a line break. */
    Document unicodeRow();

    /** Rows that {@code validate} must reject with INVALID_ROW; at least one, without its key. */
    List<Document> invalidRows();

    /** Queries that give different answers for different contents. At least one counts all rows. */
    List<TckQuery<?, ?>> probes();

    /**
     * Queries in the port's own language whose answers do not depend on the distribution of rows over actors. If the language has queries
     * of several rounds, some are of that kind. Empty for a port without a planner.
     */
    default List<String> queries() {
        return List.of();
    }

    /**
     * Row with this key that equals the rows of other keys in all other fields, so queries can order them only by key. Empty for a port
     * with keys of another type than text.
     */
    default Optional<Document> tiedRow(String key) {
        return Optional.empty();
    }

    /**
     * Queries over thirty rows that take minutes or more, such as a regular expression with exponential backtracking, or nested facets.
     * Each must end when it is cancelled. Empty if the port has no such queries, or its engine cannot be stopped.
     */
    default List<TckQuery<?, ?>> endlessProbes() {
        return List.of();
    }

    /**
     * Inputs that try to reach the targets, each by a way that the engine has: functions, parameters, operators' parameters that no planner
     * sends, configuration. Each is refused, or is plain data.
     */
    default List<HostileInput> hostileInputs(HostileTargets targets) {
        return List.of();
    }

    /** The value that a {@link Engine#switches switch} has in the running engine, read from the engine; empty if it has no such switch. */
    default Optional<String> switchValue(EngineInstance instance, Actor actor, String name) {
        return Optional.empty();
    }
}
