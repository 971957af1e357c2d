package io.uniserve.cli.query;

import io.uniserve.api.Columns;
import io.uniserve.api.plan.Answer;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationOption;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve query}. */
@Command(
        name = "query",
        description = {
            "Sends a query in the language of the table's engine and prints the engine's answer.",
            "Solr: parameters as in a URL, e.g. q=text:parliament&rows=3.",
            "kv: get KEY, count [PREFIX], sum FIELD, scan LIMIT [PREFIX]."
        },
        footer = {
            "  uniserve query speeches 'q=text:parliament&rows=3&fl=id,score'",
            "  uniserve query speeches 'q=*:*&rows=0&facet=true&facet.field=year_i' --deadline 500ms",
            "  uniserve query words 'count a' --stats",
            "  uniserve query sales 'SELECT shop, sum(amount) FROM sales GROUP BY shop' --explain",
            "  uniserve query accounts 'sum amount' --read strict"
        })
public final class QueryCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table to ask.")
    private String table = "";

    @Parameters(index = "1", paramLabel = "QUERY", description = "The query, as one word of the shell.")
    private String text = "";

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationOption.class,
            description = "Give up after this time, e.g. 500ms or 5s (default: 10s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--read",
            paramLabel = "MODE",
            defaultValue = "linearizable",
            description = {
                "linearizable: all that is acknowledged, by leases (default).",
                "strict: the same by ZooKeeper's word, whatever clocks do; levels SERIALIZABLE and FULLY_SERIALIZABLE.",
                "stale: any copy, however old; goes on without ZooKeeper."
            })
    private ReadMode read = ReadMode.LINEARIZABLE;

    @Option(
            names = "--explain",
            description = {
                "Run the query and tell the stages of its plan instead of its answer: rows, bytes, time, servers.",
                "For tables with typed columns, whose queries are SQL."
            })
    private boolean explain;

    @Option(names = "--stats", description = "Tell on standard error what the answer took.")
    private boolean stats;

    @Override
    public Integer call() {
        TableName name = new TableName(table);
        try (ClusterClient cluster = connect()) {
            if (explain && !Columns.givenBy(cluster.table(name).meta())) {
                throw UniserveException.unsupported("--explain for table " + name
                        + ", which has no typed columns: its queries have no stages to tell; --stats tells requests");
            }
            long start = clock().nanos();
            // Line and column are told of what comes after the word.
            Answer answer = cluster.query(name, explain ? "EXPLAIN " + text : text, read, deadline.toMillis());
            long nanos = clock().nanos() - start;
            print(answer.body());
            if (stats) {
                console().note(line(answer, nanos));
            }
        }
        return ExitCode.OK;
    }

    private void print(Bytes body) {
        String answer = body.utf8();
        console().println(answer.endsWith("\n") ? answer.substring(0, answer.length() - 1) : answer);
    }

    private static String line(Answer answer, long nanos) {
        Answer.Effort effort = answer.effort();
        return "%.1f ms, %,d bytes of %s, %d requests, %d retries, %d hedges"
                .formatted(
                        nanos / 1e6,
                        answer.body().size(),
                        answer.contentType(),
                        effort.requests(),
                        effort.retries(),
                        effort.hedges());
    }
}
