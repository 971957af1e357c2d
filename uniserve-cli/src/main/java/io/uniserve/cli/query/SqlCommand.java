package io.uniserve.cli.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.ReadMode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve sql}. */
@Command(
        name = "sql",
        description = {
            "Answers SELECT statements over tables with typed columns. The manual's page on SQL lists what is supported.",
            "Errors have line and column.",
            "Without a statement it runs those on standard input one after the other, each ended by a semicolon;",
            "a failed one does not end the shell, \\q does; \\? lists the shell's commands."
        },
        footer = {
            "  uniserve sql 'SELECT sold, sum(price) FROM prices GROUP BY sold ORDER BY sold'",
            "  uniserve sql --explain 'SELECT count(*) FROM orders JOIN customer ON o_custkey = c_custkey'",
            "  cat q3.sql | uniserve sql -o json --deadline 5m"
        })
public final class SqlCommand extends ClientCommand {
    private static final String STDIN = "-";
    private static final String EMPTY = "the statement is empty; give a SELECT, or some on standard input";

    /**
     * Prefix of statements whose steps the server explains, for every port. {@code EXPLAIN (TYPE IO)} and {@code EXPLAIN PLAN FOR} are other
     * statements, which ports answer.
     */
    private static final Pattern EXPLAIN = Pattern.compile("(?i)explain\\s++(?!\\(|plan\\s)");

    @Parameters(
            index = "0",
            arity = "0..1",
            defaultValue = STDIN,
            paramLabel = "STATEMENT",
            description = "The statement, as one argument; without it, or with -, standard input is read.")
    private String statement = STDIN;

    @Option(
            names = "--explain",
            description = "Run the statement and print its steps instead of its answer: transfers, rows, bytes, time.")
    private boolean explain;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "Give up after this time (default: 60s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--read",
            paramLabel = "MODE",
            defaultValue = "linearizable",
            description = "linearizable (default), strict or stale, as for uniserve query.")
    private ReadMode read = ReadMode.LINEARIZABLE;

    @Override
    public Integer call() {
        if (!statement.equals(STDIN)) {
            String sql = statement.strip();
            while (sql.endsWith(";")) {
                sql = sql.substring(0, sql.length() - 1).strip();
            }
            if (sql.isEmpty()) {
                throw usageError(EMPTY);
            }
            try (ClusterClient cluster = connect()) {
                answer(cluster, new SqlShell(console(), global().isJson()), sql);
            }
            return ExitCode.OK;
        }
        try (ClusterClient cluster = connect()) {
            return answerAll(cluster);
        } catch (IOException e) {
            throw usageError("cannot read statements from standard input: " + e.getMessage());
        }
    }

    /** Runs all statements. Returns the exit code of the first one that failed. */
    private int answerAll(ClusterClient cluster) throws IOException {
        boolean person = console().terminal() && System.console() != null;
        SqlStatementTokenizer statements = new SqlStatementTokenizer(
                new BufferedInputStream(console().in()), Limits.QUERY_TEXT_CHARS_MAX, line -> prompt(person, line));
        SqlShell shell = new SqlShell(console(), global().isJson());
        int exit = ExitCode.OK;
        boolean any = false;
        while (true) {
            try {
                Optional<String> next = statements.next();
                if (next.isEmpty() || next.get().equals(SqlShell.QUIT)) {
                    any |= next.isPresent();
                    break;
                }
                any = true;
                answer(cluster, shell, next.get());
            } catch (RuntimeException | StackOverflowError e) {
                any = true;
                int failed = report(e);
                exit = exit == ExitCode.OK ? failed : exit;
            }
        }
        if (!any && !person) {
            throw usageError(EMPTY);
        }
        return exit;
    }

    private void prompt(boolean person, int line) {
        if (person) {
            console().err().print(line == 1 ? "uniserve> " : "     ...> ");
            console().err().flush();
        }
    }

    private void answer(ClusterClient cluster, SqlShell shell, String sql) {
        if (sql.startsWith("\\")) {
            shell.run(sql, cluster.tables());
            return;
        }
        long start = clock().nanos();
        TableName table = new StatementTableFinder(cluster, read, deadline.toMillis()).of(sql);
        long left = Math.max(1, deadline.toMillis() - (clock().nanos() - start) / 1_000_000);
        Matcher word = EXPLAIN.matcher(sql);
        boolean explained = word.lookingAt();
        print(
                explain || explained
                        ? cluster.explain(table, explained ? sql.substring(word.end()) : sql, read, left)
                        : cluster.query(table, sql, read, left));
        shell.printTime(clock().nanos() - start);
    }

    private void print(Answer answer) {
        String body = answer.body().utf8().stripTrailing();
        boolean rows = answer.contentType().equals(RowsAnswer.CONTENT_TYPE);
        if (global().isJson()) {
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
