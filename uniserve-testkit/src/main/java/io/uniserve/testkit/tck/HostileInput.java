package io.uniserve.testkit.tck;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import java.util.List;
import java.util.Map;

/**
 * Input that tries to reach a file, an address or code: see {@link HostileTargets}. The kit checks that it reaches nothing, and how it ends.
 *
 * @param name what it tries, such as the number of a published fault
 * @param attempt the input
 * @param named texts of the error that refuses it, such as the name of a field; empty if it may be accepted as plain data
 */
public record HostileInput(String name, Attempt attempt, List<String> named) {
    public HostileInput {
        named = List.copyOf(named);
    }

    /** Form of an input. */
    public sealed interface Attempt {}

    /** Query in the port's language, for its planner and for its operator of whole queries. */
    record Query(String text) implements Attempt {}

    /** Call of an operator with parameters that no planner sends, as a client can do. */
    record Call(TckQuery<?, ?> query) implements Attempt {}

    /** Encoded parameters of an operator {@code name@version}. */
    record Sent(String operator, Bytes parameters) implements Attempt {}

    /** Options of a new table. */
    record Options(Map<String, String> options) implements Attempt {}

    /** Row for an update function {@code name@version}. */
    record Update(String function, Document row) implements Attempt {}

    /** A query that is refused with an error that has these texts. */
    public static HostileInput query(String name, String text, String... named) {
        return new HostileInput(name, new Query(text), List.of(named));
    }

    /** Parameters of an operator that are refused with an error that has these texts. */
    public static HostileInput call(String name, TckQuery<?, ?> query, String... named) {
        return new HostileInput(name, new Call(query), List.of(named));
    }

    /** Encoded parameters of an operator that are refused with an error that has these texts. */
    public static HostileInput sent(String name, String operator, Bytes parameters, String... named) {
        return new HostileInput(name, new Sent(operator, parameters), List.of(named));
    }

    /** Table options that are refused with an error that has these texts. */
    public static HostileInput options(String name, Map<String, String> options, String... named) {
        return new HostileInput(name, new Options(options), List.of(named));
    }

    /** A row that is refused with an error that has these texts. */
    public static HostileInput update(String name, String function, Document row, String... named) {
        return new HostileInput(name, new Update(function, row), List.of(named));
    }
}
