package io.uniserve.cli.verify;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Compared.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve verify}. */
@Command(
        name = "verify",
        description = {
            "Compares the in-sync replicas of a table's actors, one actor after the other: the digests of their contents"
                    + " at one log position. An actor's updates wait while its primary computes the digest.",
            "A replica that differs is set aside and rebuilt. The exit code is 1 if a replica differs or could not be"
                    + " compared."
        },
        footer = {"  uniserve verify speeches", "  uniserve verify speeches -o json"})
public final class VerifyCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table's name.")
    private String name = "";

    /** Result of one actor. */
    private record ActorResult(int actor, Verdict verdict, long index, List<Compared.Copy> copies, String error) {}

    @Override
    public Integer call() {
        TableName table = new TableName(name);
        List<ActorResult> lines = new ArrayList<>();
        try (ClusterClient cluster = connect()) {
            List<Integer> actors = cluster.table(table).map().numbers();
            ProgressBar progress = new ProgressBar(
                    console().err(), console().terminal(), clock()::nanos, "verify " + table, actors.size());
            for (int actor : actors) {
                lines.add(verify(cluster, table, actor));
                progress.update(lines.size(), "actor " + actor);
            }
            progress.finish();
        }
        if (global().isJson()) {
            console().json(lines.stream().map(VerifyCommand::json).toList());
        } else {
            print(table, lines);
        }
        return lines.stream().allMatch(line -> line.verdict() == Verdict.EQUAL) ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private static ActorResult verify(ClusterClient cluster, TableName table, int actor) {
        try {
            Compared compared = cluster.verify(table, actor);
            return new ActorResult(actor, compared.verdict(), compared.index(), compared.copies(), "");
        } catch (UniserveException e) {
            return new ActorResult(actor, Verdict.UNKNOWN, 0, List.of(), e.getMessage());
        }
    }

    private void print(TableName table, List<ActorResult> lines) {
        TextTable rows = new TextTable("ACTOR", "DIGESTS", "POSITION", "COPIES", "DIFFERENT", "UNKNOWN");
        for (ActorResult line : lines) {
            rows.row(
                    line.actor(),
                    word(line.verdict()),
                    line.index(),
                    line.copies().size(),
                    servers(line, Verdict.DIFFERENT),
                    servers(line, Verdict.UNKNOWN));
        }
        rows.print(console());
        for (ActorResult line : lines) {
            if (!line.error().isEmpty()) {
                console().println("actor " + line.actor() + ": " + line.error());
            }
            line.copies().stream()
                    .filter(copy -> !copy.reason().isEmpty())
                    .forEach(copy -> console()
                            .println("actor " + line.actor() + " on " + ServerNames.shortName(copy.server()) + ": "
                                    + copy.reason()));
        }
        long equal =
                lines.stream().filter(line -> line.verdict() == Verdict.EQUAL).count();
        console()
                .println("table " + table + ": the replicas of " + equal + " of " + lines.size() + " actors are equal");
    }

    private static String servers(ActorResult line, Verdict verdict) {
        String servers = ServerNames.shortName(line.copies().stream()
                .filter(copy -> copy.verdict() == verdict)
                .map(Compared.Copy::server)
                .toList());
        return servers.isEmpty() ? "-" : servers;
    }

    private static String word(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> json(ActorResult line) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("actor", line.actor());
        object.put("digests", word(line.verdict()));
        object.put("position", line.index());
        object.put("error", line.error());
        object.put(
                "copies",
                line.copies().stream()
                        .map(copy -> Map.of(
                                "server", copy.server().value(),
                                "verdict", word(copy.verdict()),
                                "digest", copy.digest(),
                                "reason", copy.reason()))
                        .toList());
        return object;
    }
}
