package io.uniserve.cli.security;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.daemon.DaemonOptions;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.registry.access.AccessReport;
import io.uniserve.runtime.registry.access.ZooKeeperAccess;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve security zookeeper}. */
@Command(
        name = "zookeeper",
        description = {
            "Access lists of the cluster's nodes in ZooKeeper, for the identity of zookeeper.access. Use the configuration of a"
                    + " server or coordinator.",
            "Exit code 1: others can change a node, or a node belongs to another identity."
        },
        footer = {
            "  uniserve security zookeeper --check --config /etc/uniserve.conf",
            "  uniserve security zookeeper --protect --config /etc/uniserve.conf"
        })
final class SecurityZooKeeperCommand extends CliCommand {
    private static final int PROGRESS_NODES = 10_000;

    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @ArgGroup(multiplicity = "1")
    private Action action = new Action();

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = "The ZooKeeper ensemble (default: localhost:2181).")
    private @Nullable String zookeeper;

    @Option(names = "--cluster", paramLabel = "NAME", description = "The cluster's name (default: uniserve).")
    private @Nullable String cluster;

    /** What to do with the lists; exactly one. */
    private static final class Action {
        @Option(
                names = "--check",
                required = true,
                description = "Report nodes that others can change. Changes nothing.")
        private boolean check;

        @Option(
                names = "--protect",
                required = true,
                description = "Give every node to the identity only. May be repeated at any time.")
        private boolean protect;

        @Option(
                names = "--open",
                required = true,
                description = "Open every node to all who reach ZooKeeper, the reverse of --protect.")
        private boolean open;
    }

    @Override
    public Integer call() {
        Map<String, String> named = new LinkedHashMap<>();
        if (zookeeper != null) {
            named.put("uniserve.zookeeper.connect", zookeeper);
        }
        if (cluster != null) {
            named.put("uniserve.cluster", cluster);
        }
        ZooKeeperSettings settings = options.load(named).zookeeper();
        ZooKeeperAccess access = new ZooKeeperAccess(settings);
        AccessReport done = change(access);
        AccessReport now = access.check();
        boolean passed = now.foreign() == 0 && (action.open || now.open() == 0);
        if (global().isJson()) {
            console().json(json(settings, access, done, now));
        } else {
            if (!action.check) {
                console().println(done.changed() + " of " + done.nodes() + " nodes changed");
            }
            now.firstForeign().ifPresent(first -> console().println("ZooKeeper node " + first));
            if (!action.open) {
                now.firstOpen().ifPresent(first -> console().println("ZooKeeper node " + first));
            }
            console()
                    .println(settings.root() + " as " + access.identity() + ": " + now.nodes() + " nodes, " + now.open()
                            + " open to others, " + now.foreign() + " of another identity");
        }
        return passed ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private AccessReport change(ZooKeeperAccess access) {
        IntConsumer progress = new IntConsumer() {
            private int next = PROGRESS_NODES;

            @Override
            public void accept(int nodes) {
                if (nodes >= next) {
                    console().note(nodes + " nodes");
                    next = nodes + PROGRESS_NODES;
                }
            }
        };
        if (action.protect) {
            return access.protect(progress);
        }
        return action.open ? access.open(progress) : AccessReport.NONE;
    }

    private static Map<String, Object> json(
            ZooKeeperSettings settings, ZooKeeperAccess access, AccessReport done, AccessReport now) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("folder", settings.root());
        object.put("identity", access.identity());
        object.put("nodes", now.nodes());
        object.put("changed", done.changed());
        object.put("open", now.open());
        object.put("foreign", now.foreign());
        now.firstOpen().ifPresent(first -> object.put("firstOpen", first));
        now.firstForeign().ifPresent(first -> object.put("firstForeign", first));
        return object;
    }
}
