package io.uniserve.protocol.reader;

import io.uniserve.codec.Bytes;
import io.uniserve.model.Address;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadReply;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One retrieve over actors of a table.
 *
 * @param actors the actors asked, distinct; empty for all of the table's
 * @param operator {@code name@version}
 * @param deadlineNanos when to give up, on the machine's clock
 * @param near where an actor is best asked first, if a replica is there
 * @param beside other tables of the same partitioner, whose actors the operator looks for beside its own
 * @param sameCopies whether the client's queries ask the same copies while these are alive, as the answer may depend on the copy
 */
public record Query(
        TableName table,
        Optional<List<Integer>> actors,
        String operator,
        Bytes parameters,
        ReadMode mode,
        long deadlineNanos,
        Map<Integer, Address> near,
        Beside beside,
        boolean sameCopies) {
    public Query {
        actors = actors.map(List::copyOf);
        near = near.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(near));
    }

    /** One whose answer does not depend on the copies. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near,
            Beside beside) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, beside, false);
    }

    /** The same, of the same copies while they are alive, or of any. */
    public Query ofSameCopies(boolean same) {
        return same == sameCopies
                ? this
                : new Query(table, actors, operator, parameters, mode, deadlineNanos, near, beside, same);
    }

    /** One for which all replicas are alike. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos) {
        this(table, actors, operator, parameters, mode, deadlineNanos, Map.of());
    }

    /** One by itself. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, Beside.NONE);
    }

    /**
     * Tables as the planner knows them: another table of the same name is none of these.
     *
     * @param of the number of the table that is asked
     * @param tables the numbers of the others
     * @param elsewhere what the operator answers that did not find them: the first such answer ends the read, whatever other actors
     *     would say; empty where no answer does
     */
    public record Beside(long of, Map<TableName, Long> tables, Bytes elsewhere) {
        /** No tables. */
        public static final Beside NONE = new Beside(0, Map.of());

        public Beside {
            tables = tables.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(tables));
        }

        /** Where no answer ends the read. */
        public Beside(long of, Map<TableName, Long> tables) {
            this(of, tables, Bytes.EMPTY);
        }

        /** Those of these definitions. */
        public static Beside of(TableMeta table, Collection<TableMeta> others, Bytes elsewhere) {
            Map<TableName, Long> numbers = new TreeMap<>();
            others.forEach(other -> numbers.put(other.name(), other.tableId()));
            return new Beside(table.tableId(), numbers, elsewhere);
        }

        /** True where one of these answers ends the read. */
        boolean ends(List<ReadReply.Part> answers) {
            return elsewhere.size() > 0
                    && answers.stream().anyMatch(part -> part.value().equals(elsewhere));
        }
    }
}
