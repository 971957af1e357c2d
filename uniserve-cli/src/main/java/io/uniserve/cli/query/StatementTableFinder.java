package io.uniserve.cli.query;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finder of the table that a statement is sent to: one of those that it names. A server's SQL parser returns the names, because the grammar
 * is in the ports and not in this process.
 */
final class StatementTableFinder {
    /** Statement of ports with SQL that returns the names of the tables that another one reads. */
    static final String TABLES_OF = "EXPLAIN (TYPE IO) ";

    /** Option of tables of port druid. */
    private static final String DRUID_SCHEMA = "dataSchema";

    private final ClusterClient cluster;
    private final ReadMode read;
    private final long deadlineMs;

    StatementTableFinder(ClusterClient cluster, ReadMode read, long deadlineMs) {
        this.cluster = cluster;
        this.read = read;
        this.deadlineMs = deadlineMs;
    }

    /**
     * Returns the first table with typed columns that the statement names. Without one it returns any such table, whose port refuses the
     * statement or needs no table. Fails with the parser's error if the statement is invalid.
     */
    TableName of(String sql) {
        List<TableRoute> typed =
                cluster.tables().stream().filter(route -> hasSql(route.meta())).toList();
        if (typed.isEmpty()) {
            throw UniserveException.invalid(
                    "the cluster has no table with typed columns: create one, with --engine duckdb and -O columns=...");
        }
        List<TableName> tables =
                typed.stream().map(route -> route.meta().name()).toList();
        if (tables.size() == 1) {
            return tables.get(0);
        }
        return tableNames(typed, sql).stream()
                .flatMap(name -> matching(tables, name))
                .findFirst()
                .orElse(tables.get(0));
    }

    /** Returns whether the table's port answers SQL: its columns are in an option, as typed columns or as Druid's schema. */
    private static boolean hasSql(TableMeta meta) {
        return ColumnSchema.isDefinedBy(meta) || meta.options().containsKey(DRUID_SCHEMA);
    }

    /**
     * Returns the names from the first port that answers. A port may have no live server, or no SQL. A refusal is reported in preference to
     * an unavailable port.
     */
    private List<String> tableNames(List<TableRoute> typed, String sql) {
        Map<String, TableName> byPort = new TreeMap<>();
        typed.forEach(
                route -> byPort.putIfAbsent(route.meta().port(), route.meta().name()));
        Optional<UniserveException> failure = Optional.empty();
        for (TableName table : byPort.values()) {
            try {
                String answer = cluster.query(table, TABLES_OF + sql, read, deadlineMs)
                        .body()
                        .utf8();
                return RowsAnswer.of(answer).rows().stream()
                        .map(row -> row.get(0))
                        .toList();
            } catch (UniserveException e) {
                boolean refused = ExitCode.of(e.code()) == ExitCode.REFUSED;
                failure = refused ? Optional.of(e) : failure.or(() -> Optional.of(e));
            }
        }
        throw failure.orElseThrow();
    }

    private static Stream<TableName> matching(List<TableName> tables, String name) {
        return Stream.concat(
                tables.stream().filter(table -> table.value().equals(name)),
                tables.stream().filter(table -> table.value().equalsIgnoreCase(name)));
    }
}
