package io.uniserve.cli.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve query}. */
@Command(
        name = "query",
        description = {
            "Sends a query in the language of the table's engine and prints the engine's answer.",
            "Solr: parameters as in a URL, e.g. q=text:parliament&rows=3.",
            "kv: get KEY, count [PREFIX], sum FIELD, scan LIMIT [PREFIX], range LIMIT KEY."
        },
        footer = {
            "  uniserve query speeches 'q=text:parliament&rows=3&fl=id,score'",
            "  uniserve query speeches 'q=*:*&rows=0&facet=true&facet.field=year_i' --deadline 500ms",
            "  uniserve query words 'count a' --stats",
            "  uniserve query speeches 'q=text:parliament&facet=true&facet.field=year_i' --explain",
            "  uniserve query accounts 'sum amount' --read strict"
        })
public final class QueryCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table to query.")
    private String table = "";

    @Parameters(index = "1", paramLabel = "QUERY", description = "The query, as one argument.")
    private String text = "";

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "Give up after this time, e.g. 500ms or 5s (default: 10s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--read",
            paramLabel = "MODE",
            defaultValue = "linearizable",
            description = {
                "linearizable: all acknowledged updates, by leases (default).",
                "strict: the same confirmed by ZooKeeper, independent of clocks; levels SERIALIZABLE and FULLY_SERIALIZABLE.",
                "stale: any replica, however old; works without ZooKeeper."
            })
    private ReadMode read = ReadMode.LINEARIZABLE;

    @Option(
            names = "--explain",
            description = {
                "Run the query and print the steps of its plan and the size of its answer instead of the answer:",
                "actors, bytes, servers and time, rows if they are known. Tables with typed columns: as SQL's EXPLAIN."
            })
    private boolean explain;

    @Option(names = "--stats", description = "Print time, bytes and requests on standard error.")
    private boolean stats;

    @Override
    public Integer call() {
        TableName name = new TableName(table);
        try (ClusterClient cluster = connect()) {
            long start = clock().nanos();
            Answer answer = explain
                    ? cluster.explain(name, text, read, deadline.toMillis())
                    : cluster.query(name, text, read, deadline.toMillis());
            long nanos = clock().nanos() - start;
            if (explain && global().isJson()) {
                console().json(Map.of("plan", answer.body().utf8().lines().toList()));
            } else {
                print(answer.body());
            }
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
