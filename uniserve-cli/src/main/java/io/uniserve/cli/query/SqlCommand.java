package io.uniserve.cli.query;

import io.uniserve.api.Columns;
import io.uniserve.api.plan.Answer;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationOption;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve sql}. */
@Command(
        name = "sql",
        description = {
            "Answers one SELECT over tables with typed columns. The manual's page on SQL lists what is supported.",
            "What is wrong is told with line and column."
        },
        footer = {
            "  uniserve sql 'SELECT sold, sum(price) FROM prices GROUP BY sold ORDER BY sold'",
            "  uniserve sql --explain 'SELECT count(*) FROM orders JOIN customer ON o_custkey = c_custkey'",
            "  cat q3.sql | uniserve sql -o json --deadline 5m"
        })
public final class SqlCommand extends ClientCommand {
    private static final String STDIN = "-";

    /** Comments and texts, in which a word is no name. */
    private static final Pattern NO_NAMES = Pattern.compile("--[^\\n]*|(?s)/\\*.*?\\*/|'(?:[^']|'')*'");

    private static final Pattern TABLE = Pattern.compile("(?i)\\b(?:from|join)[\\s(\"]+([a-z][a-z0-9_-]*)");

    @Parameters(
            index = "0",
            arity = "0..1",
            defaultValue = STDIN,
            paramLabel = "STATEMENT",
            description = "The statement, as one word of the shell; without it, or with -, standard input is read.")
    private String statement = STDIN;

    @Option(
            names = "--explain",
            description =
                    "Run the statement and tell its steps instead of its answer: what is sent where, rows, bytes, time.")
    private boolean explain;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationOption.class,
            description = "Give up after this time (default: 60s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--read",
            paramLabel = "MODE",
            defaultValue = "linearizable",
            description = "linearizable (default), strict or stale, as of uniserve query.")
    private ReadMode read = ReadMode.LINEARIZABLE;

    @Override
    public Integer call() {
        String sql = text().strip();
        while (sql.endsWith(";")) {
            sql = sql.substring(0, sql.length() - 1).strip();
        }
        if (sql.isEmpty()) {
            throw usage("the statement is empty; give a SELECT, or one on standard input");
        }
        try (ClusterClient cluster = connect()) {
            TableName table = table(cluster.tables(), sql);
            // Line and column are told of what comes after the word.
            Answer answer = cluster.query(table, explain ? "EXPLAIN " + sql : sql, read, deadline.toMillis());
            print(answer);
        }
        return ExitCode.OK;
    }

    private String text() {
        if (!statement.equals(STDIN)) {
            return statement;
        }
        try {
            byte[] all = console().in().readNBytes(4 * Limits.QUERY_TEXT_CHARS_MAX + 1);
            if (all.length > 4 * Limits.QUERY_TEXT_CHARS_MAX) {
                throw usage(
                        "the statement on standard input has more than " + 4 * Limits.QUERY_TEXT_CHARS_MAX + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(all))
                    .toString();
        } catch (CharacterCodingException e) {
            throw usage("the statement on standard input is not UTF-8");
        } catch (IOException e) {
            throw usage("cannot read the statement from standard input: " + e);
        }
    }

    /** A table of the statement; where it names none that is there, any whose port can say what is wrong. */
    private static TableName table(List<TableRoute> tables, String sql) {
        List<TableName> typed = tables.stream()
                .filter(route -> Columns.givenBy(route.meta()))
                .map(route -> route.meta().name())
                .toList();
        if (typed.isEmpty()) {
            throw UniserveException.invalid(
                    "the cluster has no table with typed columns: create one, with --port duckdb and -O columns=...");
        }
        return TABLE.matcher(NO_NAMES.matcher(sql).replaceAll(" "))
                .results()
                .flatMap(found -> named(typed, found.group(1)))
                .findFirst()
                .orElse(typed.get(0));
    }

    private static Stream<TableName> named(List<TableName> tables, String word) {
        return Stream.concat(
                tables.stream().filter(table -> table.value().equals(word)),
                tables.stream().filter(table -> table.value().equalsIgnoreCase(word)));
    }

    private void print(Answer answer) {
        String body = answer.body().utf8().stripTrailing();
        boolean rows = answer.contentType().equals(RowsAnswer.CONTENT_TYPE);
        if (global().json()) {
            if (rows) {
                console().println(body);
            } else {
                console().json(Map.of("plan", body.lines().toList()));
            }
        } else if (rows) {
            RowsAnswer.of(body).print(console());
        } else {
            console().println(body);
        }
    }
}
