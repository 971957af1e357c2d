package io.uniserve.protocol.message.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Consistent snapshot: versions and epochs of tables that all held at one time after the request (docs/protocol.md, section 4, STRICT).
 */
public record ConsistentSnapshot(List<Table> tables) {
    public ConsistentSnapshot {
        tables = List.copyOf(tables);
    }

    /**
     * A table at that time.
     *
     * @param version newest committed version; chunk generation of a TIME table of level EVENTUAL
     * @param actors numbers of all actors, ascending; empty for a table of level EVENTUAL
     * @param epochs epoch of each of these actors
     * @param generation chunk generation of a TIME table; 0 for other tables
     */
    public record Table(
            TableName name, long tableId, long version, List<Integer> actors, List<Long> epochs, long generation) {
        public Table {
            actors = List.copyOf(actors);
            epochs = List.copyOf(epochs);
            if (actors.size() != epochs.size()) {
                throw UniserveException.invalid("table " + name + " has " + actors.size() + " actors and "
                        + epochs.size() + " epochs: send one epoch per actor");
            }
        }

        /** A table whose actors have the numbers from 0 on. */
        public Table(TableName name, long tableId, long version, List<Long> epochs) {
            this(
                    name,
                    tableId,
                    version,
                    IntStream.range(0, epochs.size()).boxed().toList(),
                    epochs,
                    0);
        }

        /** Epoch of an actor; empty if the table did not have the actor. */
        public OptionalLong epoch(int actor) {
            boolean dense = actor >= 0 && actor < actors.size() && actors.get(actor) == actor;
            int at = dense ? actor : Collections.binarySearch(actors, actor);
            return at < 0 ? OptionalLong.empty() : OptionalLong.of(epochs.get(at));
        }

        /** Returns whether the table had the actor. */
        public boolean has(int actor) {
            return epoch(actor).isPresent();
        }

        /** Returns whether the table is a TIME table: its actors change, and it may have none. */
        public boolean isOfChunks() {
            return generation > 0 || actors.isEmpty();
        }
    }
}
