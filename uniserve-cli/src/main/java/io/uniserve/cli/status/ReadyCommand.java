package io.uniserve.cli.status;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve ready}. */
@Command(
        name = "ready",
        description = {
            "Checks with the coordinator if a server, or with --all the whole cluster, is ready: the registry confirms"
                    + " its leadership; the server is live, answers and has contact with the registry; every replica that"
                    + " the maps give it is in sync, has started its epoch and has a read lease; with --all, too, at least"
                    + " one server is live and every actor has all its replicas in sync. Unmet or unknown conditions are"
                    + " printed; exit code 1 in this case, or 5 after --wait and if no coordinator answers.",
            "A server is named as status shows it, or by its HOST:PORT."
        },
        footer = {
            "  uniserve ready 5345c4a8",
            "  uniserve ready 10.0.0.7:7071 --wait 5m",
            "  uniserve ready --all --servers 3 --wait 5m"
        })
public final class ReadyCommand extends ClientCommand {
    private static final int TOLD_MAX = 10;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SERVER", description = "The server.")
    private @Nullable String name;

    @Option(names = "--all", description = "Check every server and every actor.")
    private boolean all;

    @Option(
            names = "--servers",
            paramLabel = "N",
            description = "With --all: the expected number of live servers (default: any).")
    private int servers;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            arity = "0..1",
            fallbackValue = "10m",
            converter = DurationConverter.class,
            description = "Wait until it is ready, at most this long (without TIME: 10m).")
    private @Nullable Duration wait;

    private int liveServers;

    @Override
    public Integer call() throws InterruptedException {
        if (all == (name != null)) {
            throw usageError("name one SERVER, or give --all");
        }
        if (isGiven("--servers")) {
            checkRange("--servers", servers, 1, 1_000_000);
        }
        List<String> missing = new ArrayList<>();
        try (ClusterClient cluster = connect()) {
            collectMissing(cluster, missing);
            if (!missing.isEmpty() && wait != null) {
                boolean unused = ConditionPoller.await(
                        wait,
                        () -> {
                            collectMissing(cluster, missing);
                            return missing.isEmpty() ? Optional.of(true) : Optional.empty();
                        },
                        () -> "not ready: "
                                + String.join("; ", missing.subList(0, Math.min(TOLD_MAX, missing.size()))));
            }
        }
        if (global().isJson()) {
            console().json(Map.of("ready", missing.isEmpty(), "servers", liveServers, "missing", missing));
        } else if (missing.isEmpty()) {
            console().println("ready: " + liveServers + (liveServers == 1 ? " server" : " servers") + " live");
        } else {
            missing.forEach(console()::println);
        }
        return missing.isEmpty() ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    /** Reads the status. While a coordinator takes over there is none: that is an unmet condition, not an error. */
    private void collectMissing(ClusterClient cluster, List<String> missing) {
        missing.clear();
        try {
            ClusterStatus status = cluster.status();
            liveServers = status.routing().servers().size();
            missing.addAll(
                    all
                            ? ClusterReadinessChecker.missing(status, servers)
                            : ClusterReadinessChecker.missing(status, server(status)));
        } catch (UniserveException e) {
            if (wait == null || e.code() == ErrorCode.INVALID_ARGUMENT && !isNotRegistered(e)) {
                throw e;
            }
            missing.add(e.code() + " " + e.reason());
        }
    }

    /** True for a server that is not found: a restarting server is unknown for a while. */
    private static boolean isNotRegistered(UniserveException error) {
        return error.reason().contains("there is no such server");
    }

    private ServerId server(ClusterStatus status) {
        String wanted = String.valueOf(name);
        List<ServerRecord> live = status.routing().servers();
        for (ServerRecord record : live) {
            if (record.address().toString().equals(wanted)) {
                return record.id();
            }
        }
        return ServerNames.findByName(
                "SERVER", wanted, live.stream().map(ServerRecord::id).toList());
    }
}
