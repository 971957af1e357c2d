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
 * One read of actors of a table by an operator.
 *
 * @param actors distinct actors to read; empty for all of the table
 * @param operator {@code name@version}
 * @param deadlineNanos deadline by the machine's clock
 * @param near preferred address per actor, if a replica is there
 * @param beside other tables with the same partitioner; the operator also reads their actors on the same server
 * @param sameCopies true if all queries of the client use the same replicas while these are alive, because answers may differ between
 *     replicas
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

    /** A query with an answer that does not depend on the replica. */
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

    /** The same query, with or without a fixed choice of replicas. */
    public Query ofSameCopies(boolean same) {
        return same == sameCopies
                ? this
                : new Query(table, actors, operator, parameters, mode, deadlineNanos, near, beside, same);
    }

    /** A query without preferred addresses. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos) {
        this(table, actors, operator, parameters, mode, deadlineNanos, Map.of());
    }

    /** A query without other tables. */
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
     * Other tables as the planning server knows them; another table of the same name does not count.
     *
     * @param of number of the table of the query
     * @param tables numbers of the other tables
     * @param elsewhere the operator's answer if it does not find them. The first such answer ends the read, whatever the other actors
     *     return; empty if no answer does
     */
    public record Beside(long of, Map<TableName, Long> tables, Bytes elsewhere) {
        /** No tables. */
        public static final Beside NONE = new Beside(0, Map.of());

        public Beside {
            tables = tables.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(tables));
        }

        /** Tables of which no answer ends the read. */
        public Beside(long of, Map<TableName, Long> tables) {
            this(of, tables, Bytes.EMPTY);
        }

        /** The tables of these definitions. */
        public static Beside of(TableMeta table, Collection<TableMeta> others, Bytes elsewhere) {
            Map<TableName, Long> numbers = new TreeMap<>();
            others.forEach(other -> numbers.put(other.name(), other.tableId()));
            return new Beside(table.tableId(), numbers, elsewhere);
        }

        /** True if one of these answers ends the read. */
        boolean ends(List<ReadReply.Part> answers) {
            return elsewhere.size() > 0
                    && answers.stream().anyMatch(part -> part.value().equals(elsewhere));
        }
    }
}
