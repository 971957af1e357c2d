package io.uniserve.protocol.client.routing;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.client.ReadReply;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Other tables of a query, by the numbers that the planning server has. A later table of the same name is ignored.
 *
 * @param tableId number of the table of the query
 * @param tables numbers of the other tables
 * @param notFoundValue the operator's answer if it does not find them. The first such answer ends the read, whatever the other actors
 *     return; empty if no answer does
 */
public record ColocatedTables(long tableId, Map<TableName, Long> tables, Bytes notFoundValue) {
    /** No tables. */
    public static final ColocatedTables NONE = new ColocatedTables(0, Map.of());

    public ColocatedTables {
        tables = tables.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(tables));
    }

    /** Tables of which no answer ends the read. */
    public ColocatedTables(long of, Map<TableName, Long> tables) {
        this(of, tables, Bytes.EMPTY);
    }

    /** The tables of these definitions. */
    public static ColocatedTables of(TableMeta table, Collection<TableMeta> others, Bytes elsewhere) {
        Map<TableName, Long> numbers = new TreeMap<>();
        others.forEach(other -> numbers.put(other.name(), other.tableId()));
        return new ColocatedTables(table.tableId(), numbers, elsewhere);
    }

    /** True if one of these answers ends the read. */
    public boolean endsRead(List<ReadReply.Part> answers) {
        return notFoundValue.size() > 0
                && answers.stream().anyMatch(part -> part.value().equals(notFoundValue));
    }
}
