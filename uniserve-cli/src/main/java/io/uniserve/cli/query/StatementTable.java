package io.uniserve.cli.query;

import io.uniserve.api.extra.Columns;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finder of the table that a statement is sent to: one of those that it names. The names come from the SQL parser of a server: its
 * ports have the grammar, this process has none.
 */
final class StatementTable {
    /** The statement of ports with SQL that answers the names of the tables that another one reads. */
    static final String TABLES_OF = "EXPLAIN (TYPE IO) ";

    private final ClusterClient cluster;
    private final ReadMode read;
    private final long deadlineMs;

    StatementTable(ClusterClient cluster, ReadMode read, long deadlineMs) {
        this.cluster = cluster;
        this.read = read;
        this.deadlineMs = deadlineMs;
    }

    /**
     * The first table with typed columns that the statement names; where it names none, any of them, whose port refuses the statement
     * or needs no table. Fails as the parser does where the statement is wrong.
     */
    TableName of(String sql) {
        List<TableRoute> typed = cluster.tables().stream()
                .filter(route -> Columns.givenBy(route.meta()))
                .toList();
        if (typed.isEmpty()) {
            throw UniserveException.invalid(
                    "the cluster has no table with typed columns: create one, with --port duckdb and -O columns=...");
        }
        List<TableName> tables =
                typed.stream().map(route -> route.meta().name()).toList();
        if (tables.size() == 1) {
            return tables.get(0);
        }
        return named(typed, sql).stream()
                .flatMap(name -> matching(tables, name))
                .findFirst()
                .orElse(tables.get(0));
    }

    /** Asks one port after the other: the servers of one may all be away, or it has no SQL. A refusal says more than an absence. */
    private List<String> named(List<TableRoute> typed, String sql) {
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
